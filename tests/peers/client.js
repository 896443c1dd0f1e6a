// Sends a request to each URL again and again with one client of a package, which NODE_PATH must
// lead to; prints the statuses. With nothing behind the package, prints its version.
//
// node client.js PACKAGE SCHEME 'URL ...' USER PASSWORD METHOD BODY COUNT
const { printVersion } = require('./version.js');

const [library, , list, user, password, method, text, count] = process.argv.slice(2);
if (!list) printVersion(library);
const urls = list.split(' ');
const body = text || undefined;

// The status, also where a refusal is an error.
async function statusOf(response) {
  try {
    return (await response).status;
  } catch (error) {
    if (!error.response && !error.status) throw error;
    return error.status || error.response.status;
  }
}

async function sender() {
  switch (library) {
    case 'digest-fetch': {
      const { default: DigestClient } = require('digest-fetch');
      const client = new DigestClient(user, password);
      return async (url) => {
        const response = await client.fetch(url, { method, body });
        await response.text();
        return response.status;
      };
    }
    case 'urllib': {
      const { request } = require('urllib');
      const digestAuth = `${user}:${password}`;
      return async (url) => (await request(url, { method, content: body, digestAuth })).status;
    }
    case '@mhoc/axios-digest-auth': {
      const { default: AxiosDigestAuth } = require('@mhoc/axios-digest-auth');
      const client = new AxiosDigestAuth({ username: user, password });
      return (url) => statusOf(client.request({ method, url, data: body }));
    }
    case 'axios-digest': {
      const { default: AxiosDigest } = require('axios-digest');
      const client = new AxiosDigest(user, password);
      return (url) => statusOf(body ? client.post(url, body) : client.get(url));
    }
    case 'webdav': {
      // It is a module of the new kind, which NODE_PATH does not find.
      const { createClient, AuthType } = await import(require.resolve('webdav'));
      const { origin } = new URL(urls[0]);
      const authType = AuthType.Digest;
      const client = createClient(origin, { authType, username: user, password });
      return (url) => {
        const path = url.slice(origin.length);
        return statusOf(client.customRequest(path, { method, data: body }));
      };
    }
  }
}

(async () => {
  const send = await sender();
  for (let n = 0; n < Number(count); n += 1) {
    for (const url of urls) console.log(await send(url));
  }
  process.exit(0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
