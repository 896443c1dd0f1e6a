// A server of http-auth, which NODE_PATH must lead to: Digest everywhere, at /quoted with a realm
// that needs escapes, and Basic at /basic.
//
// node server.js PORT, or nothing, to print the version.
const { printVersion } = require('./version.js');

if (process.argv.length < 3) printVersion('http-auth');
const http = require('http');
const { createHash } = require('crypto');
const auth = require('http-auth');

const users = { Mufasa: 'Circle Of Life', 'Jäsøn': 'pässword' };
const realm = 'test realm';

function digest(of) {
  return auth.digest({ realm: of, qop: 'auth' }, (user, callback) => {
    const text = `${user}:${of}:${users[user]}`;
    callback(user in users ? createHash('md5').update(text).digest('hex') : undefined);
  });
}

const basic = auth.basic({ realm }, (user, password, callback) => callback(users[user] === password));
const ok = (request, response) => {
  request.resume();
  response.end('ok\n');
};
const places = {
  basic: basic.check(ok),
  quoted: digest('a"b\\c').check(ok),
  md5: digest(realm).check(ok),
};
http
  .createServer((request, response) => {
    const place = request.url.split(/[/?]/)[1];
    (places[place] || places.md5)(request, response);
  })
  .listen(Number(process.argv[2]), '127.0.0.1');
