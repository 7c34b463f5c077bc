// Takes longer than 45 s: four guests boot, two move, and one restarts to show what lasts.
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
/** Reason to skip what machine mode proves by the tests of lasting addresses. */
const clusterOnly = !isCluster && 'cluster only: a guest of machine mode keeps its address'
const lasting = machineModeOnly('addresses of guests last, and have names')
const filtered = machineModeOnly('NetworkPolicies are the matter of the network plugin')

suite('the network of guests', { skip: noKubectl || (podNetworkObstacle() ?? false) }, () => {
  let machine: TestMachine
  const servers: Server[] = []
  before(async () => {
    machine = await useNamespace()
    if (!isCluster) await machine.kubectl(['create', '-f', '-'], blueDefinition())
    await machine.kubectl(['create', '-f', '-'], withQueues(isCluster ? vm('server') : onBlue(vm('server'))))
    await machine.kubectl(['create', '-f', '-'], vm('client', { masquerade: {}, ports: [{ name: 'open', port: 2222 }] }))
    // Those of the last tests boot at the same time, and are ready when their turn comes.
    await machine.kubectl(['create', '-f', '-'], vm('bridged', { bridge: {} }))
    await machine.kubectl(['create', '-f', '-'], probed())
    await untilGuestsRun(machine, ['client', 'server', 'bridged', 'probed'])
    await listen('probed', 9000, 'echo')
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
  /** Ready by one port, alive by another; the servers in the guest are started by hand. */
  const probed = (): string => {
    const probe = (port: number): object => ({ tcpSocket: { port }, periodSeconds: 1, timeoutSeconds: 2, failureThreshold: 2 })
    return editGuest(vm('probed'), (spec) => ({
      ...spec,
      readinessProbe: probe(8080),
      // A guest that boots slowly on a busy machine must not be ended before its server is started.
      livenessProbe: { ...probe(9000), initialDelaySeconds: 45 },
    }))
  }
  const vm = (name: string, card?: object): string => networked(demoVirtualMachine(name, { namespace: machine.namespace }), card)
  /** A network beside the pod network, with a range of addresses. */
  const blueDefinition = (): string => {
    const ipam = { type: 'host-local', subnet: '192.168.77.0/24' }
    const config = JSON.stringify({ cniVersion: '0.3.1', name: 'blue', type: 'bridge', bridge: `blue-${machine.namespace}`, ipam })
    const kind = { apiVersion: 'k8s.cni.cncf.io/v1', kind: 'NetworkAttachmentDefinition' }
    return JSON.stringify({ ...kind, metadata: { name: 'blue', namespace: machine.namespace }, spec: { config } })
  }
  const blue = { network: { name: 'blue', multus: { networkName: 'blue' } }, card: { name: 'blue', bridge: {} } }
  const onBlue = (text: string): string =>
    editGuest(text, ({ domain, ...spec }) => ({
      ...spec,
      networks: [{ name: 'default', pod: {} }, blue.network],
      domain: { ...domain, devices: { ...domain.devices, interfaces: [{ name: 'default', masquerade: {} }, blue.card] } },
    }))
  const interfacesOf = async (name: string): Promise<readonly { name: string; mac: string; ipAddress: string; linkState: string }[]> => {
    const vmi = await machine.getJson('vmi', name)
    return (vmi as unknown as { status: { interfaces: { name: string; mac: string; ipAddress: string; linkState: string }[] } }).status
      .interfaces
  }
  const addressOf = async (name: string, card = 0): Promise<string> => (await interfacesOf(name))[card]?.ipAddress ?? ''
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
  const fetchInGuest = async (name: string, address: string, port: number, seconds = 3): Promise<string> => {
    const text = await machine.inGuest(`nc -w ${seconds} ${address} ${port} </dev/null 2>/dev/null || echo none`, name)
    return text === 'none' ? '' : text
  }
  /** Asserts that a guest gets no connection. */
  const isClosed = async (name: string, address: string, port: number): Promise<void> =>
    assert.equal(await fetchInGuest(name, address, port, 1), '', `${address}:${port}`)
  const only = (app: string): object => ({ matchLabels: { app } })
  const sixBlock = { ipBlock: { cidr: '2001:db8::/32' } }
  const policy = (name: string, spec: object): string =>
    JSON.stringify({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { namespace: machine.namespace, name }, spec })
  /** Creates a NetworkPolicy, and waits until it is in force. */
  async function put(name: string, spec: object): Promise<void> {
    await machine.kubectl(['create', '-f', '-'], policy(name, spec))
    let events = ''
    await eventually(
      async () => (events = await machine.kubectl(['events', '--for', `networkpolicy/${name}`])).includes('filters the traffic of 1 guest'),
      () => events,
    )
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
    await isClosed('server', address, 2223)
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
      for (const port of [hidden, everywhere]) await isClosed('client', address, port)
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
      async () => (await fetchInGuest('client', address, 80, 1)) === '',
      () => 'the Service still leads to the guest',
    )
  })

  test('NetworkPolicies say who reaches a guest, and what it reaches', { skip: filtered }, async () => {
    const address = await addressOf('server')
    for (const port of [8083, 8084]) await listen('server', port, `echo port-${port}`)
    await put('only-8083', { podSelector: only('server'), ingress: [{ from: [{ podSelector: only('client') }], ports: [{ port: 8083 }] }] })
    assert.equal(await fetchInGuest('client', address, 8083), 'port-8083')
    await isClosed('client', address, 8084)
    assert.equal(await fetchInGuest('server', await addressOf('client'), 2222), 'port-2222', 'its own connections are answered')
    const [greeting] = (await once(connect({ host: address, port: 8084 }), 'data')) as [Buffer]
    assert.equal(String(greeting).trim(), 'port-8084', 'the machine reaches its guests')
    await put('nowhere', { podSelector: only('client'), policyTypes: ['Egress'] })
    await isClosed('client', address, 8083)
    assert.match(await machine.inGuest(`nslookup server.${machine.namespace}.vm`, 'client'), new RegExp(`Address: ${address}`))
    const { stderr } = await machine.tryKubectl(['create', '-f', '-'], policy('six', { podSelector: {}, egress: [{ to: [sixBlock] }] }))
    assert.match(stderr, /^Warning: spec\.egress\[0\]\.to\[0\]\.ipBlock\.cidr: the network of guests has no IPv6/)
    await machine.kubectl(['delete', 'networkpolicies', '--all'])
    await eventually(
      async () => (await fetchInGuest('client', address, 8084)) === 'port-8084',
      () => 'policies that are gone still filter',
    )
  })

  test('a guest cannot send from an address that is not its own', async () => {
    const address = await addressOf('server')
    const ownAddress = isCluster ? behindPod : await addressOf('client')
    const stolen = ownAddress.replace(/\d+$/, (last) => String(Number(last) === 200 ? 201 : 200))
    const ping = `ping -c 2 -W 1 ${address} >/dev/null 2>&1; echo $?`
    assert.equal(await machine.inGuest(ping, 'client'), '0')
    assert.equal(
      await machine.inGuest(`ip addr add ${stolen}/16 dev eth0; ping -c 1 -W 1 -I ${stolen} ${address} >/dev/null 2>&1; echo $?`, 'client'),
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
    const address = await addressOf('bridged')
    await untilInGuest('bridged', address)
    await listen('bridged', 8080, 'echo from-the-bridge')
    assert.equal(await fetchInGuest('client', address, 8080), 'from-the-bridge')
    assert.equal(await fetchInGuest('bridged', await addressOf('server'), 8080), 'from-the-server')
  })

  /** The end of a connection to a guest that is stopped, which takes a while. */
  let closed: Promise<unknown> | undefined
  test('a guest with a connection can be stopped at once', async () => {
    await listen('bridged', 9091, 'cat')
    const client = await insistOn(() => openStream(machine, 'virtualmachineinstances/bridged/portforward/9091'))
    client.send(Buffer.from('hello'))
    await once(client, 'message')
    closed = once(client, 'close')
    const { code, stderr } = await machine.steadyvm('stop', 'bridged', '--force', '--grace-period', '0', '-n', machine.namespace)
    assert.equal(code, 0, stderr)
  })

  test('probes make a guest ready, and end it when it is not healthy any more', async () => {
    const fields = '{.status.phase} {.status.conditions[?(@.type=="Ready")].status} {.metadata.uid}'
    const state = async (): Promise<string> => (await machine.tryKubectl(['get', 'vmi', 'probed', '-o', `jsonpath=${fields}`])).stdout
    const becomes = (start: string): Promise<void> =>
      eventually(
        async () => (await state()).startsWith(start),
        () => `the VMI does not become ${start}`,
        120_000,
      )
    await becomes('Running False')
    await listen('probed', 8080, 'echo')
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

  test('a connection to a guest ends with it, also when the guest could not close it', async () => {
    assert.ok(closed)
    await closed
    await machine.kubectl(['delete', 'vm', 'bridged'])
  })

  test('a running guest is plugged into a network and out of it, and its hardware stays when it moves', { skip: lasting }, async () => {
    const patch = (...operations: object[]): Promise<string> =>
      machine.kubectl(['patch', 'vm', 'client', '--type=json', '-p', JSON.stringify(operations)])
    const [networks, interfaces] = ['networks', 'domain/devices/interfaces'].map((path) => `/spec/template/spec/${path}`)
    const untilCards = (expected: string): Promise<void> =>
      eventually(
        async () => (await interfacesOf('client')).map(({ name, linkState }) => `${name} ${linkState}`).join() === expected,
        () => machine.kubectl(['get', 'vmi', 'client', '-o', 'yaml']),
      )
    const reach = `ping -c 1 -W 5 ${await addressOf('server', 1)} >/dev/null 2>&1; echo $?`
    await patch({ op: 'add', path: `${networks}/-`, value: blue.network }, { op: 'add', path: `${interfaces}/-`, value: blue.card })
    await untilCards('default up,blue up')
    const [, plugged] = await interfacesOf('client')
    assert.match(plugged?.ipAddress ?? '', /^192\.168\.77\.\d+$/)
    const configured = `until ip addr show eth1 2>/dev/null | grep -q 'inet ${plugged?.ipAddress}/24'; do sleep 1; done; ${reach}`
    assert.equal(await machine.inGuest(configured, 'client'), '0')
    assert.equal(textAt(await machine.getJson('vm', 'client'), 'status.conditions[?(@.type=="RestartRequired")]'), '')

    await migrate('client')
    await machine.kubectl(['delete', 'vmim', 'move'])
    assert.deepEqual((await interfacesOf('client'))[1], plugged)
    assert.equal(await machine.inGuest(reach, 'client'), '0')

    await patch({ op: 'add', path: `${interfaces}/1/state`, value: 'down' })
    await untilCards('default up,blue down')
    assert.equal(await machine.inGuest('cat /sys/class/net/eth1/carrier', 'client'), '0')
    await patch({ op: 'replace', path: `${interfaces}/1/state`, value: 'absent' })
    await untilCards('default up')
    assert.equal(await machine.inGuest('ls /sys/class/net | grep -c eth1 || :', 'client'), '0')
    const reasons = async (): Promise<string> => machine.kubectl(['get', 'hardwarerecord', 'client', '-o', 'jsonpath={.history[*].reason}'])
    await eventually(async () => /^Plugged( Plugged)* FirstStart$/.test(await reasons()), reasons)
  })

  test('a guest is reached at the address of its new pod after a migration', { skip: clusterOnly }, async () => {
    const before = await addressOf('server')
    await migrate('server')
    await eventually(
      async () => (await addressOf('server')) !== before,
      () => `the VMI still has the address ${before}`,
    )
    assert.equal(await fetchInGuest('client', await addressOf('server'), 8080), 'from-the-server')
    await machine.kubectl(['delete', 'vmim', 'move'])
  })

  test("a guest that starts again after its node agent's end is answered by DHCP", { skip: clusterOnly }, async () => {
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
    await listen('server', 7000, 'sh -c "i=0; while :; do i=\\$((i+1)); echo \\$i; usleep 200000; done"')
    const socket = connect({ host: address, port: 7000 })
    t.after(() => socket.destroy())
    const seen = watchCounter(socket)
    await eventually(
      () => seen.last > 3,
      () => `${seen.last} numbers`,
    )
    await put('only-7001', { podSelector: only('server'), ingress: [{ from: [{ podSelector: only('client') }], ports: [{ port: 7001 }] }] })
    await listen('server', 7001, 'sh -c "while :; do echo x; usleep 200000; done"')
    await machine.inGuest(`(nc ${address} 7001 >/tmp/heard </dev/null 2>&1 &)`, 'client')
    const heard = async (): Promise<number> => Number(await machine.inGuest('wc -l </tmp/heard', 'client'))
    const from = textAt(await machine.getJson('vmi', 'server'), 'status.nodeName')
    await migrate('server')
    const { last } = seen
    await eventually(
      () => seen.last > last + 5,
      () => `the counter stays at ${seen.last}`,
    )
    assert.deepEqual([seen.gaps, socket.destroyed], [0, false])
    // Between guests, the rules of policies are the same at the other end.
    const before = await heard()
    assert.ok(before > 0)
    await eventually(
      async () => (await heard()) > before + 5,
      () => `the other guest hears nothing after ${before} lines`,
    )
    await machine.kubectl(['delete', 'networkpolicy', 'only-7001'])
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
