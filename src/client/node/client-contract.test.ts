import { startTestServer } from '#apiserver/api-server.fixture.ts'
import { createInProcessClient } from '#apiserver/in-process/in-process-client.ts'
import { testClientContract } from '../client-contract.fixture.ts'
import { fixedCredentials } from './credentials.ts'
import { createNodeClient } from './node-client.ts'

for (const protocols of [['h2'], ['http/1.1']] as const) {
  testClientContract(`REST client over ${protocols[0]}`, async () => {
    const test = await startTestServer()
    const client = createNodeClient({
      server: test.server.url,
      certificateAuthority: test.authority.cert,
      credentials: fixedCredentials({ certificate: test.admin.cert, key: test.admin.key }),
      protocols,
    })
    return {
      client,
      async [Symbol.asyncDispose]() {
        client[Symbol.dispose]()
        await test[Symbol.asyncDispose]()
      },
    }
  })
}

testClientContract('in-process client', async () => {
  const test = await startTestServer()
  const user = { username: 'system:test', groups: ['system:masters'] }
  const client = createInProcessClient({ verbs: test.verbs, registry: test.registry, user })
  return { client, [Symbol.asyncDispose]: () => test[Symbol.asyncDispose]() }
})
