// The version of a package, whose package.json need not be among what it exports.
const { readFileSync } = require('fs');

exports.printVersion = (library) => {
  const [path] = require.resolve(library).split(`/${library}/`);
  console.log(JSON.parse(readFileSync(`${path}/${library}/package.json`)).version);
  process.exit(0);
};
