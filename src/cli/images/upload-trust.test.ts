import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { createAuthority } from '#runtime/certificates/authority.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { trustIn } from './upload-trust.ts'

const terms = { nowMs: systemClock.now(), lifetimeMs: 3_600_000 }
const ours = await createAuthority({ commonName: 'ours', ...terms })
const others = await createAuthority({ commonName: 'others', ...terms })

/** Connects by an address to a server of a name. Returns what the client says of it. */
async function reach(signer: typeof ours, name: string): Promise<string> {
  const { certificate, key } = await signer.issue({
    subject: 'CN=server',
    usage: 'server',
    names: [{ type: 'dns', value: name }],
    ...terms,
  })
  const server = createServer({ cert: certificate, key }, (_, response) => response.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const asked = request({ host: '127.0.0.1', port, agent: false, ...trustIn(ours.own.certificate) })
    asked.end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return String(answer.resume().statusCode)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? ''
  } finally {
    server.close()
  }
}

suite('trustIn()', () => {
  test('virt-api is trusted by any address', async () => assert.equal(await reach(ours, 'virt-api.kubevirt.svc'), '200'))
  test('another component is not', async () =>
    assert.equal(await reach(ours, 'virt-operator.kubevirt.svc'), 'ERR_TLS_CERT_ALTNAME_INVALID'))
  test('nor is the name with another authority', async () =>
    assert.match(await reach(others, 'virt-api.kubevirt.svc'), /UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN/))
})
