import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, suite, test, type TestContext } from 'node:test'
import { podNetworkObstacle } from '#machine/network/pod-network.ts'
import { noGenerator, sending, withGenerator } from '../support/guests/hostile-guest.ts'
import { isCluster, networked } from '../support/guests/networked-guests.ts'
import { untilGuestsRun } from '../support/guests/running-guests.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, textAt, type TestMachine } from '../support/machine.ts'
import { demoVirtualMachine } from '../support/manifests.ts'
import { useNamespace } from '../support/namespaces.ts'

/** On a cluster, each guest has a network of its own, and its pod's limits. */
const skip = noKubectl || (podNetworkObstacle() ?? false) || noGenerator || (isCluster && 'machine mode only: guests share a network')

/** Address of the router on the bridge of guests. */
const router = '0a:58:0a:00:00:01'
/** Settings of a sender that an attack changes. */
const defaults = ['flag !IPSRC_RND', 'flag !MACSRC_RND', 'flag !UDPSRC_RND', 'flag !UDPDST_RND', 'flag UDPCSUM', 'src_mac_count 0']

suite('a guest that means harm to others', { skip }, () => {
  let machine: TestMachine
  interface Card {
    readonly ip: string
    readonly mac: string
  }
  const cards = new Map<string, Card>()
  const card = (name: string): Card => cards.get(name) ?? { ip: '', mac: '' }

  before(async () => {
    machine = await useNamespace()
    const vm = (name: string): string => networked(demoVirtualMachine(name, { namespace: machine.namespace }))
    await machine.kubectl(['create', '-f', '-'], await withGenerator(machine, vm('attacker')))
    for (const name of ['victim', 'friend']) await machine.kubectl(['create', '-f', '-'], vm(name))
    const names = ['attacker', 'victim', 'friend']
    await untilGuestsRun(machine, names)
    for (const name of names) {
      const ip = textAt(await machine.getJson('vmi', name), 'status.interfaces.0.ipAddress')
      const mac = await machine.inGuest(
        `until ip addr show eth0 | grep -q 'inet ${ip}/'; do sleep 1; done; cat /sys/class/net/eth0/address`,
        name,
      )
      cards.set(name, { ip, mac })
    }
  })
  after(() => machine[Symbol.asyncDispose]())

  const framesOf = async (name: string): Promise<number> =>
    Number(await machine.inGuest('cat /sys/class/net/eth0/statistics/rx_packets', name))

  /**
   * Fails unless the victim reaches its friend, gets its address again, resolves names, and answers
   * on its console. Returns the latency of its pings.
   */
  async function victimWorks(): Promise<string> {
    const ping = await machine.inGuest(`ping -c 20 -i 0.1 -W 5 ${card('friend').ip} | tail -n 2; :`, 'victim')
    const lost = Number(/(\d+)% packet loss/.exec(ping)?.[1] ?? 100)
    assert.ok(lost <= 50, ping)
    const lease = await machine.inGuest('udhcpc -i eth0 -n -q -t 10 -T 2 -s /bin/true 2>&1; :', 'victim')
    assert.match(lease, new RegExp(`lease of ${card('victim').ip.replaceAll('.', '\\.')} obtained`))
    const friend = `friend.${machine.namespace}.vm`
    assert.match(await machine.inGuest(`nslookup ${friend} || nslookup ${friend}`, 'victim'), new RegExp(`Address: ${card('friend').ip}`))
    return `${lost} % lost, ${/min\/avg\/max = ([\d./]+ ms)/.exec(ping)?.[1] ?? 'no answer'}`
  }

  test('the victim is well before', async (t) => t.diagnostic(await victimWorks()))

  /** Attacks by frames: what they are, and how many frames a second may arrive at the victim. */
  const attacks: Readonly<Record<string, () => { readonly settings: readonly string[]; readonly mostPerSecond: number }>> = {
    'floods by broadcasts': () => ({
      settings: [`dst ${card('attacker').ip.replace(/\d+\.\d+$/, '255.255')}`, 'dst_mac ff:ff:ff:ff:ff:ff'],
      mostPerSecond: 400,
    }),
    'floods by multicasts': () => ({ settings: ['dst 224.0.0.1', 'dst_mac 01:00:5e:00:00:01'], mostPerSecond: 400 }),
    'floods a MAC address that no guest has': () => ({ settings: ['dst 203.0.113.7', 'dst_mac 02:00:00:00:00:99'], mostPerSecond: 100 }),
    'floods another guest': () => ({ settings: [`dst ${card('friend').ip}`, `dst_mac ${card('friend').mac}`], mostPerSecond: 100 }),
    'floods the servers of names and addresses': () => ({
      settings: [`dst ${gateway()}`, `dst_mac ${router}`, 'udp_dst_min 53', 'udp_dst_max 67', 'flag UDPDST_RND'],
      mostPerSecond: 100,
    }),
    'opens connections to the outside without end': () => ({
      settings: ['dst 192.0.2.77', `dst_mac ${router}`, 'udp_src_min 1024', 'udp_src_max 60000', 'flag UDPSRC_RND'],
      mostPerSecond: 100,
    }),
    'sends from IP addresses that it has not': () => ({
      settings: [`dst ${card('victim').ip}`, `dst_mac ${card('victim').mac}`, 'src_min 1.0.0.1', 'src_max 200.0.0.1', 'flag IPSRC_RND'],
      mostPerSecond: 100,
    }),
    "sends from its friend's MAC and IP address": () => ({
      settings: [
        `dst ${card('victim').ip}`,
        `dst_mac ${card('victim').mac}`,
        `src_mac ${card('friend').mac}`,
        `src_min ${card('friend').ip}`,
        `src_max ${card('friend').ip}`,
      ],
      mostPerSecond: 100,
    }),
    'sends from MAC addresses without end': () => ({
      settings: [
        `dst ${card('victim').ip}`,
        `dst_mac ${card('victim').mac}`,
        'src_mac 02:00:00:00:00:00',
        'src_mac_count 100000',
        'flag MACSRC_RND',
      ],
      mostPerSecond: 100,
    }),
    'answers DHCP to the victim without end': () => ({
      settings: [
        `dst ${card('victim').ip}`,
        `dst_mac ${card('victim').mac}`,
        'udp_src_min 67',
        'udp_src_max 67',
        'udp_dst_min 68',
        'udp_dst_max 68',
      ],
      mostPerSecond: 100,
    }),
  }
  const gateway = (): string => card('attacker').ip.replace(/\d+\.\d+$/, '0.1')

  for (const [what, attack] of Object.entries(attacks))
    test(`${what}: nothing of it harms others`, async (t) => {
      const { settings, mostPerSecond } = attack()
      const { ip, mac } = card('attacker')
      const own = [`src_mac ${mac}`, `src_min ${ip}`, `src_max ${ip}`]
      const ports = ['udp_src_min 9', 'udp_src_max 9', 'udp_dst_min 9', 'udp_dst_max 9']
      await using sender = await sending(machine, 'attacker', [...defaults, ...own, ...ports, ...settings])
      const [started, sentBefore, framesBefore] = [performance.now(), await sender.sent(), await framesOf('victim')]
      const latency = await victimWorks()
      const [sent, frames] = [(await sender.sent()) - sentBefore, (await framesOf('victim')) - framesBefore]
      const seconds = (performance.now() - started) / 1000
      const perSecond = (count: number): number => Math.round(count / seconds)
      t.diagnostic(`${perSecond(sent)} frames/s sent, ${perSecond(frames)} arrived; victim: ${latency}`)
      assert.ok(sent > 1_000, `the guest has sent ${sent} frames`)
      // A burst, and what the victim's own requests are answered.
      assert.ok(frames < 1_000 + mostPerSecond * seconds, `${frames} of ${sent} frames arrived`)
    })

  test('floods the victim itself: it is well again afterwards, and meanwhile behind a NetworkPolicy', async (t) => {
    const { ip, mac } = card('attacker')
    const settings = [`src_mac ${mac}`, `src_min ${ip}`, `src_max ${ip}`, `dst ${card('victim').ip}`, `dst_mac ${card('victim').mac}`]
    const flood = (): ReturnType<typeof sending> =>
      sending(machine, 'attacker', [...defaults, 'udp_src_min 9', 'udp_src_max 9', 'udp_dst_min 9', 'udp_dst_max 9', ...settings])
    {
      await using _ = await flood()
      const ping = await machine.inGuest(`ping -c 20 -i 0.1 -W 5 ${card('friend').ip} | tail -n 2; :`, 'victim')
      t.diagnostic(`without a policy: ${ping.replaceAll(/\s+/g, ' ')}`)
    }
    t.diagnostic(`afterwards: ${await victimWorks()}`)
    const spec = {
      podSelector: { matchLabels: { app: 'victim' } },
      ingress: [{ from: [{ podSelector: { matchLabels: { app: 'friend' } } }] }],
    }
    const kind = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' }
    await machine.kubectl(
      ['create', '-f', '-'],
      JSON.stringify({ ...kind, metadata: { name: 'friends', namespace: machine.namespace }, spec }),
    )
    await eventually(
      async () => (await machine.kubectl(['events', '--for', 'networkpolicy/friends'])).includes('filters the traffic of 1 guest'),
      () => 'the policy is not in force',
    )
    {
      await using sender = await flood()
      const [sent, frames] = [await sender.sent(), await framesOf('victim')]
      t.diagnostic(`with a policy: ${await victimWorks()}`)
      assert.ok((await sender.sent()) - sent > 1_000)
      assert.ok((await framesOf('victim')) - frames < 1_000)
    }
    await machine.kubectl(['delete', 'networkpolicy', 'friends'])
  })

  test('is a DHCP server, and answers ARP for others: guests get the address that is theirs', async () => {
    const { ip } = card('attacker')
    const config = [
      `start ${ip}`,
      `end ${ip}`,
      'interface eth0',
      `option router ${ip}`,
      `option dns ${ip}`,
      'lease_file /leases',
      'pidfile /dhcpd.pid',
    ]
    await machine.inGuest('ln -sf busybox /bin/udhcpd; ln -sf busybox /bin/arping; : >/leases; : >/dhcpd.conf', 'attacker')
    for (const line of config) await machine.inGuest(`echo '${line}' >>/dhcpd.conf`, 'attacker')
    await machine.inGuest('udhcpd -f /dhcpd.conf >/dhcpd.log 2>&1 </dev/null &', 'attacker')
    // Says that its friend's address is at the attacker.
    const lie = `ip addr add ${card('friend').ip}/32 dev eth0; arping -U -c 20 -I eth0 ${card('friend').ip} >/dev/null 2>&1 &`
    await machine.inGuest(lie, 'attacker')
    try {
      await victimWorks()
      await machine.inGuest('udhcpc -i eth0 -n -q -t 10 -T 2 -s /bin/dhcp >/dev/null 2>&1', 'victim')
      const routes = await machine.inGuest('ip route; cat /etc/resolv.conf; ip neigh', 'victim')
      assert.doesNotMatch(routes, new RegExp(`(via|nameserver) ${ip.replaceAll('.', '\\.')}`))
      assert.doesNotMatch(routes, new RegExp(card('attacker').mac))
      assert.ok((await machine.inGuest('kill -0 $(pidof udhcpd) && echo serves', 'attacker')) === 'serves')
    } finally {
      await machine.inGuest(`kill $(pidof udhcpd) 2>/dev/null; ip addr del ${card('friend').ip}/32 dev eth0`, 'attacker')
    }
  })

  const agents = (): { readonly pid: number }[] =>
    machine.processes().filter(({ role, node }) => role === 'virt-handler' && node === nodeOf('attacker'))
  const nodeOf = (name: string): string | undefined => machine.guests().find((guest) => isOwn(guest, name))?.process.node
  const isOwn = (guest: { readonly namespace: string; readonly name: string }, name: string): boolean =>
    guest.namespace === machine.namespace && guest.name === name
  const memoryMiB = (pid: number): number => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  const ticks = (pid: number): number => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  }

  /** Watches a node agent for a while: its largest memory, and the share of a core that it uses. */
  async function watchAgent(t: TestContext, seconds: number, meanwhile: () => Promise<void>): Promise<void> {
    const [{ pid }] = agents() as [{ readonly pid: number }]
    const [memory, started, ticksBefore] = [memoryMiB(pid), performance.now(), ticks(pid)]
    let largest = memory
    for (let done = 0; done === 0 || performance.now() - started < seconds * 1000; done++) {
      await meanwhile()
      largest = Math.max(largest, memoryMiB(pid))
    }
    const share = (ticks(pid) - ticksBefore) / ((performance.now() - started) / 10)
    t.diagnostic(`node agent: ${memory.toFixed(0)} MiB, then at most ${largest.toFixed(0)} MiB; ${(share * 100).toFixed(1)} % of a core`)
    assert.ok(largest - memory < 100, `its node agent grew from ${memory} to ${largest} MiB`)
    assert.deepEqual(
      agents().map((agent) => agent.pid),
      [pid],
    )
  }

  // The agent answers what it is asked first, so that it is taken for one.
  const syncs =
    'while read -r line <&3 || sleep 1; do case $line in *guest-sync-delimited*) id=${line##*\\"id\\":}; printf "\\377{\\"return\\":%s}\\n" "${id%%\\}*}" >&3 ;;'
  const liars: Readonly<Record<string, string>> = {
    'sends a gigabyte as the answer of its agent': `${syncs} *) printf "{\\"return\\":\\"" >&3; head -c 1073741824 /dev/zero | tr "\\000" x >&3; printf "\\"}\\n" >&3 ;; esac; done`,
    'sends zeros as an agent without end': 'cat /dev/zero >&3',
    'sends answers as an agent without end': 'yes "$(printf "\\377{\\"return\\":1}")" >&3',
  }
  for (const [what, program] of Object.entries(liars))
    test(`${what}: its node agent serves others`, async (t) => {
      const script = `exec 3<>$(echo /dev/vport*p1)\n${program}\n`
      await machine.inGuest('rm -f /liar', 'attacker')
      for (const part of script.match(/[^]{1,400}/g) ?? [])
        await machine.inGuest(`echo ${Buffer.from(part).toString('base64')} | base64 -d >>/liar`, 'attacker')
      // A group of its own, which ends with its children.
      await machine.inGuest('setsid sh /liar </dev/null >/dev/null 2>&1 & echo $! >/liar.pid', 'attacker')
      const path = (name: string): string =>
        `/apis/subresources.kubevirt.io/v1/namespaces/${machine.namespace}/virtualmachineinstances/${name}`
      await watchAgent(t, 75, async () => {
        await machine.tryKubectl(['get', '--raw', `${path('attacker')}/guestosinfo`])
        await victimWorks()
        await sleep(1_000)
      })
      await machine.inGuest('kill -9 -$(cat /liar.pid); kill -9 $(cat /liar.pid); :', 'attacker')
    })

  test('fills the log of its serial console: the log stays short', async (t) => {
    const guest = machine.guests().find((each) => isOwn(each, 'attacker'))
    const log = join('/proc', String(guest?.process.pid), 'root', guest?.serialLog ?? '')
    const size = (): number => statSync(log).size
    await machine.inGuest(
      'setsid yes 0123456789012345678901234567890123456789012345678901234567890123456789 >/dev/ttyS0 2>/dev/null & :',
      'attacker',
    )
    let [last, written, largest, cuts] = [size(), 0, 0, 0]
    await watchAgent(t, 60, async () => {
      t.diagnostic(await victimWorks())
    })
    await eventually(
      () => {
        const now = size()
        largest = Math.max(largest, now)
        if (now < last) cuts += 1
        else written += now - last
        last = now
        return cuts >= 2
      },
      () => `after ${written} bytes, the log has ${last} bytes`,
      600_000,
    )
    t.diagnostic(`the largest size of the log: ${(largest / 2 ** 20).toFixed(1)} MiB`)
    assert.ok(largest < 64 << 20, `the log had ${largest} bytes`)
  })
})
