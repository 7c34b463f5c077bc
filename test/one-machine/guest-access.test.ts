import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { after, before, suite, test } from 'node:test'
import { WebSocket } from 'ws'
import { startSmallAgent } from '../support/guests/small-agent.ts'
import { openStream, refusalOf, streamUrl, subresourcesPath } from '../support/guests/guest-streams.ts'
import { noKubectl, type CommandResult } from '../support/kubectl.ts'
import { demoVirtualMachine, editGuest } from '../support/manifests.ts'
import { eventually, repository, type TestMachine } from '../support/machine.ts'
import { untilGuestsRun } from '../support/guests/running-guests.ts'
import { useNamespace } from '../support/namespaces.ts'

suite('the console, the display, the agent and the reset button of a guest through the API', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await useNamespace()
    const vm = editGuest(demoVirtualMachine('reached', { namespace: machine.namespace }), (spec) => ({
      ...spec,
      accessCredentials: [
        { sshPublicKey: { source: { secret: { secretName: 'keys' } }, propagationMethod: { qemuGuestAgent: { users: ['root'] } } } },
        { userPassword: { source: { secret: { secretName: 'passwords' } }, propagationMethod: { qemuGuestAgent: {} } } },
      ],
      readinessProbe: { exec: { command: ['/bin/true'] }, periodSeconds: 1, failureThreshold: 1 },
      domain: { ...spec.domain, devices: { ...spec.domain.devices, autoattachGraphicsDevice: true, clientPassthrough: {} } },
    }))
    await machine.kubectl(['create', 'secret', 'generic', 'keys', '--from-literal=mine=ssh-ed25519 AAAA first'])
    await machine.kubectl(['create', 'secret', 'generic', 'passwords', '--from-literal=root=open sesame'])
    await machine.kubectl(['create', '-f', '-'], vm)
    await machine.kubectl(['create', '-f', '-'], demoVirtualMachine('halted', { namespace: machine.namespace, runStrategy: 'Halted' }))
    await untilGuestsRun(machine, ['reached'])
  })
  after(() => machine[Symbol.asyncDispose]())

  const pathOf = (name: string, subresource: string): string =>
    `${subresourcesPath(machine)}/virtualmachineinstances/${name}/${subresource}`
  const open = (name: string, subresource: string): WebSocket => openStream(machine, `virtualmachineinstances/${name}/${subresource}`)
  const urlOf = (name: string, subresource: string): string => streamUrl(machine, `virtualmachineinstances/${name}/${subresource}`)
  const refused = (name: string, subresource: string): ReturnType<typeof refusalOf> => refusalOf(open(name, subresource))

  test('a command on the console is answered; a second client takes the console over', async () => {
    const client = open('reached', 'console')
    let text = ''
    client.on('message', (data: Buffer) => (text += data.toString('latin1')))
    await once(client, 'open')
    assert.equal(client.protocol, 'plain.kubevirt.io')
    let sentMs = -Infinity
    await eventually(
      () => {
        // What a booting guest does not read in time would stay as part of a line.
        if (performance.now() > sentMs + 1_000) {
          sentMs = performance.now()
          client.send(Buffer.from('echo $((6 * 7))answers\n'))
        }
        return text.includes('42answers')
      },
      () => text,
      180_000,
    )
    const closed = once(client, 'close')
    const next = open('reached', 'console')
    await once(next, 'open')
    const [code, reason] = (await closed) as [number, Buffer]
    assert.deepEqual([code, String(reason)], [1008, 'another client has connected'])
    next.close()
  })

  test('the display speaks RFB, keeps its session on request, and is pictured', async () => {
    const client = open('reached', 'vnc')
    const [greeting] = (await once(client, 'message')) as [Buffer]
    assert.match(String(greeting), /^RFB 003\.\d{3}\n/)
    assert.deepEqual(await refused('reached', 'vnc?preserveSession=true'), [503, 'Active VNC connection. Request denied.'])
    client.close()
    await once(client, 'close')
    const picture = await machine.kubectl(['get', '--raw', `${pathOf('reached', 'vnc/screenshot')}?moveCursor=true`])
    assert.match(picture, /^.PNG\r\n/)
  })

  test('clients lend the guest four USB devices at a time', async () => {
    const borrow = async (): Promise<WebSocket> => {
      const client = open('reached', 'usbredir')
      const [hello] = (await once(client, 'message')) as [Buffer]
      assert.match(String(hello), /qemu usb-redir guest/)
      return client
    }
    const clients = [await borrow(), await borrow(), await borrow(), await borrow()]
    assert.deepEqual(await refused('reached', 'usbredir'), [503, 'All USB devices are in use.'])
    clients[2]?.close()
    await eventually(
      () =>
        borrow().then(
          (client) => clients.push(client) > 0,
          () => false,
        ),
      () => 'the redirector of a client that has left is free',
    )
    for (const client of clients) client.close()
  })

  test('steadyvm reaches console and display through the API', async (t) => {
    const where = ['--kubeconfig', machine.kubeconfig, '--namespace', machine.namespace]
    const command = [join(repository, 'bin/steadyvm'), 'console', ...where, '--run', 'echo $((6 * 7))', '--timeout', '120', 'reached']
    const { stdout } = await promisify(execFile)('env', command, { env: machine.env })
    assert.equal(stdout, '42\n')
    const viewer = spawn(join(repository, 'bin/steadyvm'), ['vnc', ...where, '--proxy-only', 'reached'], { env: machine.env })
    t.after(() => viewer.kill('SIGKILL'))
    const [line] = (await once(viewer.stdout, 'data')) as [Buffer]
    const socket = connect((JSON.parse(String(line)) as { port: number }).port, '127.0.0.1')
    const [greeting] = (await once(socket, 'data')) as [Buffer]
    assert.match(String(greeting), /^RFB 003\.\d{3}\n/)
    const ended = once(viewer, 'exit')
    viewer.kill('SIGINT')
    await ended
    socket.destroy()
  })

  test('the agent in the guest is reported, and answers', async () => {
    const agentCondition = ['get', 'vmi', 'reached', '-o', 'jsonpath={.status.conditions[?(@.type=="AgentConnected")].status}']
    const ask = (subresource: string): Promise<CommandResult> => machine.tryKubectl(['get', '--raw', pathOf('reached', subresource)])
    assert.match((await ask('guestosinfo')).stderr, /VMI does not have guest agent connected/)
    const ready = ['get', 'vmi', 'reached', '-o', 'jsonpath={.status.conditions[?(@.type=="Ready")].status}']
    assert.equal(await machine.kubectl(ready), 'False')
    await startSmallAgent(machine, 'reached')
    await eventually(
      async () => (await machine.kubectl(agentCondition)) === 'True',
      () => machine.kubectl(['get', 'vmi', 'reached', '-o', 'yaml']),
    )
    const osName = ['get', 'vmi', 'reached', '-o', 'jsonpath={.status.guestOSInfo.name}']
    await eventually(
      async () => (await machine.kubectl(osName)) === 'Tiny',
      () => 'the VMI does not show the operating system of its guest',
    )
    await eventually(
      async () => (await machine.kubectl(ready)) === 'True',
      () => 'the readiness probe by a command in the guest does not succeed',
    )
    const synchronized = ['get', 'vmi', 'reached', '-o', 'jsonpath={.status.conditions[?(@.type=="AccessCredentialsSynchronized")].status}']
    await eventually(
      async () => (await machine.kubectl(synchronized)) === 'True',
      () => machine.kubectl(['get', 'vmi', 'reached', '-o', 'yaml']),
    )
    const credentials = await machine.inGuest('cat /credentials', 'reached')
    assert.match(credentials, /"username":"root","keys":\["ssh-ed25519 AAAA first"\],"reset":true/)
    assert.match(credentials, new RegExp(`"username":"root","password":"${Buffer.from('open sesame').toString('base64')}"`))
    const { stdout, stderr } = await ask('guestosinfo')
    const { guestAgentVersion, hostname, timezone } = JSON.parse(stdout === '' ? stderr : stdout) as Record<string, unknown>
    assert.deepEqual([guestAgentVersion, hostname, timezone], ['9.9', 'from-the-guest', ', 0'])
    assert.deepEqual(JSON.parse((await ask('userlist')).stdout), { metadata: {}, items: [{ userName: 'root' }] })
    assert.match((await ask('filesystemlist')).stderr, /refused "guest-get-fsinfo": not here/)
    const put = (verb: string, body: string): Promise<CommandResult> =>
      machine.tryKubectl(['replace', '--raw', pathOf('reached', verb), '-f', '-'], body)
    const frozen = (): Promise<string> => machine.kubectl(['get', 'vmi', 'reached', '-o', 'jsonpath={.status.fsFreezeStatus}'])
    assert.match((await put('freeze', '{}')).stderr, /Unfreeze timeout in freeze request is not set/)
    assert.equal((await put('freeze', '{"unfreezeTimeout":"5m0s"}')).code, 0)
    await eventually(
      async () => (await frozen()) === 'frozen',
      () => 'the VMI does not say that it is frozen',
    )
    assert.equal((await put('unfreeze', '{}')).code, 0)
    await eventually(
      async () => (await frozen()) === '',
      () => 'the VMI still says that it is frozen',
    )
    await machine.inGuest('kill $(cat /agent.pid)', 'reached')
    await eventually(
      async () => (await machine.kubectl(agentCondition)) === '',
      () => machine.kubectl(agentCondition),
    )
    await eventually(
      async () => (await machine.kubectl(ready)) === 'False',
      () => 'the VMI is ready without an answer of its guest',
    )
  })

  test('a soft reboot presses the power button, and starts the guest again, in the same VMI', async () => {
    const boot = (): Promise<string> => machine.inGuest('cat /proc/sys/kernel/random/boot_id', 'reached')
    const uid = ['get', 'vmi', 'reached', '-o', 'jsonpath={.metadata.uid} {.status.phase}']
    const [before, vmi] = [await boot(), await machine.kubectl(uid)]
    await machine.kubectl(['replace', '--raw', pathOf('reached', 'softreboot'), '-f', '-'], '{}')
    await eventually(
      async () => /soft reboot was requested/.test(await machine.kubectl(['events', '--for', 'vmi/reached'])),
      () => 'the guest has not powered off',
      60_000,
    )
    assert.notEqual(await boot(), before)
    assert.equal(await machine.kubectl(uid), vmi)
  })

  test('a reset starts the guest anew, in the same VMI', async () => {
    const boot = (): Promise<string> => machine.inGuest('cat /proc/sys/kernel/random/boot_id', 'reached')
    const uid = ['get', 'vmi', 'reached', '-o', 'jsonpath={.metadata.uid} {.status.phase}']
    const [before, vmi] = [await boot(), await machine.kubectl(uid)]
    await machine.kubectl(['replace', '--raw', pathOf('reached', 'reset'), '-f', '-'], '{}')
    await eventually(
      async () => (await boot()) !== before,
      () => `still ${before}`,
      180_000,
    )
    assert.equal(await machine.kubectl(uid), vmi)
    const refused = await machine.tryKubectl(['replace', '--raw', pathOf('halted', 'reset'), '-f', '-'], '{}')
    assert.match(refused.stderr, /"halted" not found/)
  })

  test('a client whose handshake is refused leaves the console to others', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'short' }
    const url = urlOf('reached', 'console').replace('wss:', 'https:')
    const code = await new Promise<number>((resolve, reject) => {
      const sent = request(url, { headers, ...machine.credentials('admin') }, (response) => resolve(response.resume().statusCode ?? 0))
      sent.on('error', reject).end()
    })
    assert.ok(code >= 400, String(code))
    const client = open('reached', 'console')
    await once(client, 'open')
    client.close()
  })

  test('a request that cannot be served is refused before the upgrade, in the words of KubeVirt', async () => {
    assert.deepEqual(await refused('absent', 'console'), [404, 'virtualmachineinstance.kubevirt.io "absent" not found'])
    assert.equal((await refused('halted', 'console'))[0], 404)
  })

  test('users reach what their role names, and a picture needs two rights', async () => {
    for (const [user, role] of [
      ['viewer', 'view'],
      ['editor', 'edit'],
      ['owner', 'admin'],
    ] as const)
      await machine.kubectl(['create', 'rolebinding', user, `--clusterrole=kubevirt.io:${role}`, `--user=${user}`])
    const openAs = (user: string): WebSocket => openStream(machine, 'virtualmachineinstances/reached/console', user)
    const [code, message] = await refusalOf(openAs('viewer'))
    assert.equal(code, 403)
    assert.match(message, /User "viewer" cannot get resource "virtualmachineinstances\/console" in API group "subresources\.kubevirt\.io"/)
    const client = openAs('editor')
    await once(client, 'open')
    client.close()
    const picture = (user: string): Promise<CommandResult> =>
      machine.tryKubectl(['get', '--raw', pathOf('reached', 'vnc/screenshot'), `--as=${user}`])
    assert.match((await picture('viewer')).stderr, /cannot get resource "virtualmachineinstances\/vnc" /)
    // As upstream, this role has the display, and no pictures of it.
    assert.match((await picture('editor')).stderr, /cannot get resource "virtualmachineinstances\/vnc\/screenshot" /)
    assert.match((await picture('owner')).stdout, /^.PNG\r\n/)
  })
})
