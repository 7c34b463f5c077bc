import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { after, before, suite, test } from 'node:test'
import type { WebSocket } from 'ws'
import { podNetworkObstacle } from '#machine/network/pod-network.ts'
import { openStream, refusalOf } from '../support/guests/guest-streams.ts'
import { noKubectl } from '../support/kubectl.ts'
import { demoVirtualMachine, editGuest } from '../support/manifests.ts'
import { eventually, textAt, type TestMachine } from '../support/machine.ts'
import { untilGuestsRun } from '../support/guests/running-guests.ts'
import { isCluster, migrationOf, networked, outsideAddress } from '../support/guests/networked-guests.ts'
import { machineModeOnly } from '../support/place.ts'
import { useNamespace } from '../support/namespaces.ts'

/** The guest of a masqueraded card has this address, and is reached at that of its pod. */
const behindPod = '10.0.2.2'
const lasting = machineModeOnly('addresses of guests last, and have names')

suite('the network of guests', { skip: noKubectl || (podNetworkObstacle() ?? false) }, () => {
  let machine: TestMachine
  const servers: Server[] = []
  before(async () => {
    machine = await useNamespace()
    await machine.kubectl(['create', '-f', '-'], withQueues(vm('server')))
    await machine.kubectl(['create', '-f', '-'], vm('client', { masquerade: {}, ports: [{ name: 'open', port: 2222 }] }))
    await untilGuestsRun(machine, ['client', 'server'])
    await Promise.all(['client', 'server'].map(untilConfigured))
  })
  after(async () => {
    for (const server of servers) server.close()
    await machine[Symbol.asyncDispose]()
  })

  /** Two CPUs, and a queue for each. */
  const withQueues = (text: string): string =>
    editGuest(text, ({ domain, ...spec }) => ({
      ...spec,
      domain: { ...domain, cpu: { cores: 2 }, devices: { ...domain.devices, networkInterfaceMultiqueue: true } },
    }))
  const vm = (name: string, card?: object): string => networked(demoVirtualMachine(name, { namespace: machine.namespace }), card)
  const addressOf = async (name: string): Promise<string> => {
    const vmi = await machine.getJson('vmi', name)
    return (vmi as unknown as { status: { interfaces: { ipAddress: string }[] } }).status.interfaces[0]?.ipAddress ?? ''
  }
  /** Waits until the guest has its address. */
  async function untilConfigured(name: string): Promise<void> {
    const address = await addressOf(name)
    assert.match(address, /^10\.\d+\.\d+\.\d+$/)
    await untilInGuest(name, isCluster ? behindPod : address)
  }
  const untilInGuest = (name: string, address: string): Promise<string> =>
    machine.inGuest(`until ip addr show eth0 | grep -q 'inet ${address}/'; do sleep 1; done`, name)
  /** Serves a port of a guest by a command for each connection, from now on. */
  async function listen(name: string, port: number, command: string): Promise<void> {
    const hex = port.toString(16).toUpperCase().padStart(4, '0')
    const isListening = `grep -q ':${hex} .* 0A ' /proc/net/tcp /proc/net/tcp6`
    await machine.inGuest(
      `(while :; do nc -l -p ${port} -e ${command}; done >/dev/null 2>&1 &); until ${isListening}; do usleep 50000; done`,
      name,
    )
  }
  /** Returns what a guest receives from a port, or the empty text when it gets no connection. */
  const fetchInGuest = async (name: string, address: string, port: number): Promise<string> => {
    const text = await machine.inGuest(`nc -w 3 ${address} ${port} </dev/null 2>/dev/null || echo none`, name)
    return text === 'none' ? '' : text
  }
  /** Starts a server that greets. */
  async function greet(host: string): Promise<number> {
    const server = createServer((socket) => socket.end('welcome')).listen(0, host)
    servers.push(server)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  test('guests reach each other, and have the name of their VM', async () => {
    await listen('server', 8080, 'echo from-the-server')
    assert.equal(await fetchInGuest('client', await addressOf('server'), 8080), 'from-the-server')
    assert.equal(await machine.inGuest('hostname', 'client'), 'client')
    const queues = (name: string): Promise<string> => machine.inGuest('ls -d /sys/class/net/eth0/queues/tx-* | wc -l', name)
    assert.deepEqual([await queues('server'), await queues('client')], ['2', '1'])
  })

  test('only the ports that an interface lists are open, where it lists any', async () => {
    const address = await addressOf('client')
    for (const port of [2222, 2223]) await listen('client', port, `echo port-${port}`)
    assert.equal(await fetchInGuest('server', address, 2222), 'port-2222')
    assert.equal(await fetchInGuest('server', address, 2223), '')
  })

  test('the names of guests and Services are known to guests', { skip: lasting }, async () => {
    const address = await addressOf('server')
    assert.match(await machine.inGuest(`nslookup server.${machine.namespace}.vm`, 'client'), new RegExp(`Address: ${address}`))
    assert.match(
      await machine.inGuest('cat /etc/resolv.conf', 'client'),
      new RegExp(`^search ${machine.namespace}\\.svc\\.cluster\\.local `),
    )
  })

  test('guests reach the outside, and no server of the machine that listens on its loopback address', async () => {
    const outside = outsideAddress()
    if (outside !== undefined) assert.equal(await fetchInGuest('client', outside, await greet(outside)), 'welcome')
    const hidden = await greet('127.0.0.1')
    const everywhere = await greet('0.0.0.0')
    const [first, second] = (await addressOf('client')).split('.')
    const gateways = ['10.0.2.2', `${first}.${second}.0.1`, `${first}.${second}.255.253`, `${first}.${second}.255.254`]
    for (const address of isCluster ? ['10.0.2.1', '127.0.0.1'] : gateways)
      for (const port of [hidden, everywhere]) assert.equal(await fetchInGuest('client', address, port), '', `${address}:${port}`)
  })

  test('a Service is reached, and leads to the guests that it selects', async () => {
    await listen('server', 8081, 'echo by-service')
    await machine.kubectl(['create', 'service', 'clusterip', 'web', '--tcp=80:8081'])
    await machine.kubectl(['patch', 'service', 'web', '-p', '{"spec":{"selector":{"app":"server"}}}'])
    let address = ''
    await eventually(
      async () => {
        const answer = await machine.inGuest('nslookup web 2>/dev/null || :', 'client')
        const resolved = /Name:\s+web\.\S+\s+Address: (10\.[\d.]+)/.exec(answer)?.[1] ?? ''
        // The test cluster has no DNS.
        address = isCluster ? textAt(await machine.getJson('service', 'web'), 'spec.clusterIP') : resolved
        return address !== '' && (await fetchInGuest('client', address, 80)) === 'by-service'
      },
      () => `the Service is not reached at ${address}`,
    )
    await machine.kubectl(['patch', 'service', 'web', '-p', '{"spec":{"selector":{"app":"none"}}}'])
    await eventually(
      async () => (await fetchInGuest('client', address, 80)) === '',
      () => 'the Service still leads to the guest',
    )
  })

  test('a guest cannot send from an address that is not its own', async () => {
    const address = await addressOf('server')
    const ownAddress = isCluster ? behindPod : await addressOf('client')
    const stolen = ownAddress.replace(/\d+$/, (last) => String(Number(last) === 200 ? 201 : 200))
    const ping = `ping -c 2 -W 2 ${address} >/dev/null 2>&1; echo $?`
    assert.equal(await machine.inGuest(ping, 'client'), '0')
    assert.equal(
      await machine.inGuest(`ip addr add ${stolen}/16 dev eth0; ping -c 2 -W 2 -I ${stolen} ${address} >/dev/null 2>&1; echo $?`, 'client'),
      '1',
    )
    await machine.inGuest(`ip addr del ${stolen}/16 dev eth0`, 'client')
    // Behind its pod, a guest has a link of its own.
    if (isCluster) return
    const mac = '02:00:00:00:00:99'
    const own = await machine.inGuest('cat /sys/class/net/eth0/address', 'client')
    assert.equal(await machine.inGuest(`ip link set dev eth0 address ${mac}; ${ping}`, 'client'), '1')
    assert.equal(await machine.inGuest(`ip link set dev eth0 address ${own}; ${ping}`, 'client'), '0')
  })

  test('a second guest with the same MAC address does not start', { skip: lasting }, async () => {
    const macAddress = await machine.inGuest('cat /sys/class/net/eth0/address', 'client')
    await machine.kubectl(['create', '-f', '-'], vm('twin', { masquerade: {}, macAddress }))
    const synchronized = ['get', 'vmi', 'twin', '-o', 'jsonpath={.status.conditions[?(@.type=="Synchronized")].message}']
    let message = ''
    await eventually(
      async () => (message = await machine.kubectl(synchronized).catch(() => '')) !== '',
      () => message,
    )
    assert.match(message, new RegExp(`MAC address ${macAddress} of interface "default" belongs to VMI ${machine.namespace}/client`))
    await machine.kubectl(['delete', 'vm', 'twin'])
  })

  test('ports of a guest are reached through the API', async () => {
    const open = (resource: string, name: string, tail: string): WebSocket => openStream(machine, `${resource}/${name}/portforward/${tail}`)
    const refused = async (client: WebSocket): Promise<string> => (await refusalOf(client)).join(' ')
    await listen('server', 9090, 'cat')
    for (const [resource, tail] of [
      ['virtualmachineinstances', '9090'],
      ['virtualmachines', '9090/tcp'],
    ] as const) {
      const client = await insistOn(() => open(resource, 'server', tail))
      client.send(Buffer.from('echo this'))
      assert.equal(String(((await once(client, 'message')) as [Buffer])[0]), 'echo this', tail)
      client.close()
    }
    assert.match(
      await refused(open('virtualmachineinstances', 'server', '9')),
      /^500 .*dialing VM: dial tcp 10\.[\d.]+:9: connect: connection refused/,
    )
    assert.match(await refused(open('virtualmachines', 'lost', '22')), /^404 virtualmachine\.kubevirt\.io "lost" not found/)
  })

  test('a bridged guest has the address of its pod itself, and cannot move in a cluster', async () => {
    await machine.kubectl(['create', '-f', '-'], vm('bridged', { bridge: {} }))
    await eventually(
      async () => (await machine.kubectl(['get', 'vmi', 'bridged', '-o', 'jsonpath={.status.phase}'])) === 'Running',
      () => machine.kubectl(['get', 'vmi', '-o', 'yaml']),
      120_000,
    )
    const address = await addressOf('bridged')
    await untilInGuest('bridged', address)
    await listen('bridged', 8080, 'echo from-the-bridge')
    assert.equal(await fetchInGuest('client', address, 8080), 'from-the-bridge')
    assert.equal(await fetchInGuest('bridged', await addressOf('server'), 8080), 'from-the-server')
    await machine.kubectl(['delete', 'vm', 'bridged'])
  })

  test('probes make a guest ready, and end it when it is not healthy any more', async () => {
    const probe = (port: number): object => ({ tcpSocket: { port }, periodSeconds: 1, failureThreshold: 2 })
    // The server in the guest is started by hand.
    const probed = editGuest(vm('probed'), (spec) => ({
      ...spec,
      readinessProbe: probe(8080),
      livenessProbe: { ...probe(9000), initialDelaySeconds: 15 },
    }))
    await machine.kubectl(['create', '-f', '-'], probed)
    const serve = (port: number): Promise<void> => listen('probed', port, 'echo')
    const fields = '{.status.phase} {.status.conditions[?(@.type=="Ready")].status} {.metadata.uid}'
    const state = async (): Promise<string> => (await machine.tryKubectl(['get', 'vmi', 'probed', '-o', `jsonpath=${fields}`])).stdout
    const becomes = (start: string): Promise<void> =>
      eventually(
        async () => (await state()).startsWith(start),
        () => `the VMI does not become ${start}`,
        120_000,
      )
    await becomes('Running False')
    await serve(9000)
    await serve(8080)
    await becomes('Running True')
    const [, , uid = ''] = (await state()).split(' ')
    await machine.inGuest('ip link set dev eth0 down', 'probed')
    await eventually(
      async () => ((await state()).split(' ')[2] ?? uid) !== uid,
      () => `VMI ${uid} still runs`,
      120_000,
    )
    const events = await machine.kubectl(['events', '--for', 'vmi/probed', '-o', 'json'])
    assert.match(events, /the guest was stopped: its liveness probe failed/)
    await machine.kubectl(['delete', 'vm', 'probed'])
  })

  test('a guest is reached at the address of its new pod after a migration', { skip: !isCluster }, async () => {
    const before = await addressOf('server')
    await migrate('server')
    await eventually(
      async () => (await addressOf('server')) !== before,
      () => `the VMI still has the address ${before}`,
    )
    assert.equal(await fetchInGuest('client', await addressOf('server'), 8080), 'from-the-server')
    await machine.kubectl(['delete', 'vmim', 'move'])
  })

  test("a guest that starts again after its node agent's end is answered by DHCP", { skip: !isCluster }, async () => {
    await machine.kubectl(['delete', 'pods', '-n', 'kubevirt', '-l', 'kubevirt.io=virt-handler', '--grace-period=0', '--force'])
    await machine.kubectl(['wait', 'pods', '-n', 'kubevirt', '-l', 'kubevirt.io=virt-handler', '--for=condition=Ready', '--timeout=120s'])
    await machine.inGuest('ip addr flush dev eth0; udhcpc -i eth0 -n -q -t 30 -s /bin/dhcp >/dev/null 2>&1', 'client')
    await untilConfigured('client')
  })

  async function migrate(vmiName: string): Promise<void> {
    await machine.kubectl(['create', '-f', '-'], migrationOf('move', { namespace: machine.namespace, vmiName }))
    await machine.kubectl(['wait', 'vmim/move', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=180s'])
  }

  test('a connection lives through a live migration, and the address through a restart', { skip: lasting }, async (t) => {
    const address = await addressOf('server')
    await listen('server', 7000, 'sh -c "i=0; while :; do i=\\$((i+1)); echo \\$i; usleep 100000; done"')
    const socket = connect({ host: address, port: 7000 })
    t.after(() => socket.destroy())
    const seen = watchCounter(socket)
    await eventually(
      () => seen.last > 3,
      () => `${seen.last} numbers`,
    )
    const from = textAt(await machine.getJson('vmi', 'server'), 'status.nodeName')
    await migrate('server')
    const { last } = seen
    await eventually(
      () => seen.last > last + 10,
      () => `the counter stays at ${seen.last}`,
    )
    assert.deepEqual([seen.gaps, socket.destroyed], [0, false])
    t.diagnostic(`longest stall of the connection: ${seen.longestMs} ms`)
    assert.notEqual(textAt(await machine.getJson('vmi', 'server'), 'status.nodeName'), from)
    assert.equal(await addressOf('server'), address)

    const { uid } = (await machine.getJson('vmi', 'server'))['metadata'] as unknown as { uid: string }
    await machine.kubectl(['delete', 'vmi', 'server'])
    await eventually(
      async () => {
        const { stdout } = await machine.tryKubectl(['get', 'vmi', 'server', '-o', 'jsonpath={.metadata.uid} {.status.phase}'])
        return stdout.endsWith(' Running') && !stdout.startsWith(uid)
      },
      () => 'the VM does not run again',
      120_000,
    )
    assert.equal(await addressOf('server'), address)
    await untilConfigured('server')
  })
})

/**
 * Opens a stream until it is accepted: the server in the guest listens anew after each connection.
 */
async function insistOn(open: () => WebSocket): Promise<WebSocket> {
  let accepted: WebSocket | undefined
  let refusal = ''
  await eventually(
    async () => {
      const client = open()
      await once(client, 'open').then(
        () => (accepted = client),
        (error: Error) => (refusal = error.message),
      )
      return accepted !== undefined
    },
    () => refusal,
  )
  return accepted ?? open()
}

/** Reads numbers that count up, one a line. */
function watchCounter(socket: Socket): { readonly last: number; readonly gaps: number; readonly longestMs: number } {
  const seen = { last: 0, gaps: 0, longestMs: 0 }
  let [rest, at] = ['', performance.now()]
  socket.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (Number(line) !== seen.last + 1) seen.gaps += 1
      seen.last = Number(line)
    }
    seen.longestMs = Math.max(seen.longestMs, Math.round(performance.now() - at))
    at = performance.now()
  })
  return seen
}
