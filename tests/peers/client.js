// Sends a request again and again with one client of a package, which NODE_PATH must lead to;
// prints the status of each.
//
// node client.js PACKAGE URL USER PASSWORD METHOD BODY COUNT
const [library, url, user, password, method, text, count] = process.argv.slice(2);
const body = text || undefined;

async function sender() {
  switch (library) {
    case 'digest-fetch': {
      const { default: DigestClient } = require('digest-fetch');
      const client = new DigestClient(user, password);
      return async () => {
        const response = await client.fetch(url, { method, body });
        await response.text();
        return response.status;
      };
    }
    case 'urllib': {
      const { request } = require('urllib');
      const digestAuth = `${user}:${password}`;
      return async () => (await request(url, { method, content: body, digestAuth })).status;
    }
    case '@mhoc/axios-digest-auth': {
      const { default: AxiosDigestAuth } = require('@mhoc/axios-digest-auth');
      const client = new AxiosDigestAuth({ username: user, password });
      return async () => {
        try {
          return (await client.request({ method, url, data: body })).status;
        } catch (error) {
          if (!error.response) throw error;
          return error.response.status;
        }
      };
    }
  }
}

(async () => {
  const send = await sender();
  for (let n = 0; n < Number(count); n += 1) console.log(await send());
  process.exit(0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
