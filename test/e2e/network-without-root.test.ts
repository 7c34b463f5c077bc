// Takes longer than 45 s: it starts a machine twice around a guest that boots.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { noUnprivilegedNetwork } from '#machine/network/unprivileged.fixture.ts'
import { signalProcess } from '#machine/supervisor/processes.ts'
import { networked, outsideAddress } from '../support/guests/networked-guests.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, textAt, type TestMachine } from '../support/machine.ts'
import { demoVirtualMachine, editGuest } from '../support/manifests.ts'
import { startUnprivilegedMachine } from '../support/unprivileged.ts'

const page = String.raw`printf 'HTTP/1.0 200 OK\r\n\r\nhello'`

/** Starts a server that greets, and returns its port. */
async function greet(t: TestContext, host: string): Promise<number> {
  const server = createServer((socket) => socket.end('welcome')).listen(0, host)
  t.after(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

suite('the network of guests without root', { skip: noKubectl || noUnprivilegedNetwork() }, () => {
  test('reaches the outside, is reached through the API, and outlives all processes but the guests', async (t) => {
    await using machine = await startUnprivilegedMachine({ nodes: 1 })
    const probed = editGuest(networked(demoVirtualMachine('web')), (spec) => ({
      ...spec,
      readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 1 },
    }))
    await machine.kubectl(['create', '-f', '-'], probed)
    // What the guest's shell runs goes on.
    await machine.inGuest(
      `echo "${page}" >/page; (while :; do nc -l -p 8080 -e sh /page; done >/dev/null 2>&1 &); until ip route | grep -q ^default; do sleep 1; done`,
      'web',
    )
    // The kubelet reaches it.
    await machine.kubectl(['wait', 'vm/web', '--for=condition=Ready'])
    const address = textAt(await machine.getJson('vmi', 'web'), 'status.interfaces.0.ipAddress')
    assert.match(address, /^10\.\d+\.\d+\.\d+$/)
    await assertReached(machine)

    const outside = outsideAddress()
    const seen = outside === undefined ? [] : [`${outside} ${await greet(t, outside)}`]
    const { port: apiPort } = new URL(await machine.kubectl(['config', 'view', '-o', 'jsonpath={.clusters[0].cluster.server}']))
    const hidden = [await greet(t, '127.0.0.1'), await greet(t, '0.0.0.0'), apiPort]
    const unseen = ['10.0.2.2', address.replace(/\d+\.\d+$/, '0.1')].flatMap((host) => hidden.map((port) => `${host} ${port}`))
    const ask = (server: string): string => `(nc -w 3 ${server} </dev/null >/dev/null 2>&1 && echo ${server}) &`
    assert.deepEqual(await machine.inGuest(`${[...seen, ...unseen].map(ask).join('\n')}\nwait`, 'web'), seen.join())

    for (const found of machine.processes()) if (found.role !== 'compute') signalProcess(found, 'SIGKILL')
    assert.equal(machine.guests().length, 1)
    assert.equal((await machine.steadyvm('up')).code, 0)
    await assertReached(machine)
    assert.equal(textAt(await machine.getJson('vmi', 'web'), 'status.interfaces.0.ipAddress'), address)

    assert.equal((await machine.steadyvm('down', '--timeout', '0')).code, 0)
    assert.deepEqual(machine.processes(), [])
    assert.ok(!existsSync(join(machine.home, 'run')))
  })
})

/** The API server and the node agent reach the guest. */
async function assertReached(machine: TestMachine): Promise<void> {
  const pod = textAt(await machine.getJson('pods', '-l', 'vm.kubevirt.io/name=web'), 'items.0.metadata.name')
  assert.equal(await machine.insist(['get', '--raw', `/api/v1/namespaces/default/pods/${pod}:8080/proxy/`]), 'hello')
  let answer = ''
  await eventually(
    async () => (answer = (await machine.steadyvm('port-forward', '--stdio', 'web', '8080')).stdout).endsWith('hello'),
    () => `port-forward gets ${answer}`,
  )
}
