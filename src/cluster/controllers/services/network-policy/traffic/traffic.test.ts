import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import type { Service } from '#api/core/v1/service.ts'
import type { NetworkPolicy } from '#api/networking/v1/network-policy.ts'
import { serviceRules } from '#cluster/controllers/services/pod-network/service-rules.ts'
import { compilePolicies, type PolicyFacts } from '../compile/compile-policies.ts'
import { guestPod, isAllowed, namespaceOf, policyOf } from '../kubernetes-semantics.fixture.ts'
import { filterTable, type FilterTable } from '../nftables/filter-table.ts'
import { openGuests, openTransaction } from '../nftables/open-guests.ts'
import { transaction } from '../nftables/transaction.ts'
import { policyFacts, ports } from '../random-policies.fixture.ts'
import { repeats, seed } from '#test/effort.ts'
import { noNetwork } from '#runtime/network/network-namespace.fixture.ts'
import { type Host, outside, startNetwork, type TestNetwork } from './guest-network.fixture.ts'

const prefix = '10.77'
const addresses = ['10.77.1.1', '10.77.1.2', '10.77.1.3', '10.77.1.4']

suite('NetworkPolicies by nftables', { skip: noNetwork }, () => {
  let network: TestNetwork
  let [web, db, other, unlisted] = [] as unknown as [Host, Host, Host, Host]
  let applied: FilterTable | undefined
  before(async () => {
    network = await startNetwork(addresses, ports)
    ;[web, db, other, unlisted] = network.guests as [Host, Host, Host, Host]
  })
  after(() => network[Symbol.dispose]())

  const pods = [
    guestPod('10.77.1.1', 'shop', { app: 'web' }),
    guestPod('10.77.1.2', 'shop', { app: 'db' }, { http: 80 }),
    guestPod('10.77.1.3', 'lab', { app: 'web' }),
  ]
  /** Writes what differs from the rules before, or everything, as after a crash. */
  function apply(facts: PolicyFacts, anew = false): FilterTable {
    const filter = compilePolicies(facts)
    const table = filterTable(filter)
    network.nft(transaction(anew ? undefined : applied, table) + openTransaction(undefined, openGuests(filter)))
    return (applied = table)
  }
  const put = (...policies: NetworkPolicy[]): FilterTable =>
    apply({ policies, pods, namespaces: [namespaceOf('shop'), namespaceOf('lab')], prefix })
  const onlyDb = { podSelector: { matchLabels: { app: 'db' } } }
  const onlyWeb = { podSelector: { matchLabels: { app: 'web' } } }
  const fromWeb = policyOf('shop', 'from-web', {
    ...onlyDb,
    ingress: [{ from: [onlyWeb], ports: [{ port: 'http' }, { port: 443, protocol: 'UDP' }] }],
  })

  test('nothing passes before the first rules, and a guest that is unknown reaches nothing', async () => {
    assert.deepEqual(await Promise.all([web.reaches(db.address, 80), web.reaches(outside, 80)]), [false, false])
    put()
    assert.deepEqual(
      [await web.reaches(db.address, 80), await db.reaches(web.address, 81, 'UDP'), await web.reaches(outside, 80)],
      [true, true, true],
    )
    assert.deepEqual(
      [await unlisted.reaches(db.address, 80), await db.reaches(unlisted.address, 80), await unlisted.reaches(outside, 80)],
      [false, false, false],
    )
  })

  test('a guest that a policy selects is reached as its rules say, and by the machine; its own connections are answered', async () => {
    put(fromWeb)
    assert.deepEqual(
      [
        await web.reaches(db.address, 80),
        await web.reaches(db.address, 443, 'UDP'),
        await web.reaches(db.address, 443),
        await web.reaches(db.address, 80, 'UDP'),
        await other.reaches(db.address, 80),
      ],
      [true, true, false, false, false],
    )
    assert.deepEqual(
      [await db.reaches(web.address, 81), await db.reaches(web.address, 81, 'UDP'), await db.reaches(outside, 81)],
      [true, true, true],
    )
    assert.deepEqual([await network.world.reaches(db.address, 443), await network.world.reaches(db.address, 443, 'UDP')], [true, true])
  })

  test('egress is limited, to guests and to the outside', async () => {
    const limited = (egress: NonNullable<NetworkPolicy['spec']>['egress']): NetworkPolicy =>
      policyOf('shop', 'limit', { ...onlyDb, policyTypes: ['Egress'], egress: egress ?? [] })
    put(limited([]))
    assert.deepEqual(
      [await db.reaches(web.address, 80), await db.reaches(outside, 80), await db.reaches(outside, 80, 'UDP')],
      [false, false, false],
    )
    assert.deepEqual([await web.reaches(db.address, 80), await web.reaches(db.address, 80, 'UDP')], [true, true])
    put(limited([{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }] }]))
    assert.deepEqual([await db.reaches(web.address, 80), await db.reaches(outside, 80)], [false, true])
    put(limited([{ to: [{ ipBlock: { cidr: '192.0.0.0/8', except: [`${outside}/32`] } }, onlyWeb], ports: [{ port: 79, endPort: 81 }] }]))
    assert.deepEqual(
      [await db.reaches(web.address, 81), await db.reaches(web.address, 443), await db.reaches(outside, 80)],
      [true, false, false],
    )
  })

  test('a new policy ends the connections that it does not allow, and no others', async () => {
    put()
    for (const host of [web, other]) assert.equal(await host.ask({ kind: 'open', host: db.address, port: 80 }), 1)
    put(fromWeb)
    assert.deepEqual([await web.ask({ kind: 'exchange' }), await other.ask({ kind: 'exchange' })], [1, 0])
    // As processes that start again do.
    apply({ policies: [fromWeb], pods, namespaces: [], prefix }, true)
    network.reload()
    assert.deepEqual([await web.ask({ kind: 'exchange' }), await other.reaches(db.address, 80)], [1, false])
  })

  test('connections to a Service are judged by its endpoint, and by the guest that connects', async () => {
    const service: Service = {
      metadata: { namespace: 'shop', name: 'db' },
      spec: { clusterIP: '127.96.0.9', ports: [{ port: 8080, targetPort: 80 }] },
    }
    const slice = {
      metadata: { namespace: 'shop', name: 'db-1', labels: { 'kubernetes.io/service-name': 'db' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [db.address] }],
      ports: [{ name: '', port: 80 }],
    }
    network.nft(serviceRules([service], [slice], prefix).rules)
    const toDb = policyOf('shop', 'to-db', { ...onlyWeb, policyTypes: ['Egress'], egress: [{ to: [onlyDb], ports: [{ port: 80 }] }] })
    put(fromWeb, toDb)
    const reached = async (): Promise<boolean[]> => Promise.all([web, other, db].map((host) => host.reaches('10.96.0.9', 8080)))
    // A guest always reaches itself.
    assert.deepEqual(await reached(), [true, false, true])
    put(fromWeb, policyOf('shop', 'to-db', { ...onlyWeb, policyTypes: ['Egress'], egress: [{ to: [onlyDb], ports: [{ port: 8080 }] }] }))
    assert.deepEqual(await reached(), [false, false, true])
  })

  test('a guest that a policy selects gets no broadcasts of others, and sends none', async () => {
    const counts = (): Promise<number[]> => Promise.all([web, db, other].map((host) => host.ask({ kind: 'count' })))
    /** Returns how many datagrams each has got of one, as soon as a witness has got it. */
    const heard = async (sender: Host, witness: Host): Promise<number[]> => {
      const before = await counts()
      const known = await witness.ask({ kind: 'count' })
      await sender.ask({ kind: 'shout', host: '10.77.255.255', port: 80 })
      while ((await witness.ask({ kind: 'count' })) === known) await sleep(5)
      // The others may get it a moment later.
      await sleep(300)
      return (await counts()).map((count, index) => count - (before[index] ?? 0))
    }
    put()
    // A host hears itself. What comes from it over the bridge comes to all at once.
    assert.deepEqual(await heard(web, other), [1, 1, 1])
    put(fromWeb)
    assert.deepEqual(
      [await heard(web, other), await heard(db, db)],
      [
        [1, 0, 1],
        [0, 1, 0],
      ],
    )
  })

  test('the kernel agrees with Kubernetes about random policies, and keeps the same rules by small steps and at once', async () => {
    const cases = fc.sample(policyFacts(prefix, addresses, outside), { numRuns: repeats({ default: 3, long: 30 }), seed })
    let allowed = 0
    for (const facts of cases) {
      const table = apply(facts)
      const bySteps = network.policies()
      const pairs = network.guests.flatMap((from) =>
        [...network.guests, network.world].filter((to) => to !== from).map((to) => ({ from, to })),
      )
      for (const port of ports)
        await Promise.all(
          pairs.flatMap(({ from, to }) =>
            (['TCP', 'UDP'] as const).map(async (protocol) => {
              const expected = isAllowed(facts, { from: from.address, to: to.address, protocol, port })
              if (expected) allowed += 1
              assert.equal(
                await from.reaches(to.address, port, protocol),
                expected,
                `${protocol} from ${from.address} to ${to.address}:${port}\n${JSON.stringify(facts)}`,
              )
            }),
          ),
        )
      network.nft(transaction(undefined, table))
      assert.deepEqual(sorted(bySteps), sorted(network.policies()))
    }
    assert.ok(allowed > 20, `${allowed} connections are allowed`)
  })

  test('a guest does not use up the connections to the outside', async () => {
    put()
    await web.ask({ kind: 'flood', host: outside, ports: 1_100 })
    assert.deepEqual(
      [await web.reaches(outside, 80), await other.reaches(outside, 80), await web.reaches(db.address, 80)],
      [false, true, true],
    )
  })

  test('a guest that opens connections without end does not use up those of others', async () => {
    put()
    // What is not answered is forgotten after 30 s, which a busy machine may need to send all.
    let isCut = false
    for (let round = 0; round < 3 && !isCut; round++) {
      await web.ask({ kind: 'flood', host: db.address, ports: 17_000 })
      isCut = !(await web.reaches(db.address, 80))
    }
    assert.deepEqual([isCut, await other.reaches(db.address, 80), await db.reaches(web.address, 80)], [true, true, true])
    network.reload()
    assert.deepEqual([await web.reaches(outside, 80), await other.reaches(outside, 80)], [false, true])
  })
})

/** Sets and chains are listed in the order of their creation. */
function sorted(rules: string): readonly string[] {
  return rules
    .split('\n\n')
    .map((part) => part.replace(/^table .*\n|\n}\n$/g, '').trim())
    .toSorted()
}
