import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import { events, pods, serviceAccounts } from '#api/core/v1/resources.ts'
import { networkPolicies } from '#api/networking/v1/resources.ts'
import { until } from '#cluster/controllers/workloads/fake-kubelets.fixture.ts'
import { startEmbeddedCluster } from '#cluster/embedded-api.fixture.ts'
import { networkRules, noNetwork } from '#runtime/network/network-namespace.fixture.ts'
import { createNetworkPolicyController } from './network-policy-controller.ts'

test('policies that cannot be enforced say so, and are enforced as soon as they can', { skip: noNetwork }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'policies-'))
  const namespace = join(directory, 'namespace')
  for (const name of ['namespace', 'ready']) writeFileSync(join(directory, name), '')
  t.after(() => {
    spawnSync('umount', [namespace])
    rmSync(directory, { recursive: true, force: true })
  })
  await using cluster = await startEmbeddedCluster((options) => [createNetworkPolicyController({ ...options, directory, prefix: '10.77' })])
  const { client } = cluster
  const spec = { podSelector: { matchLabels: { app: 'web' } } }
  await client.create(networkPolicies, { metadata: { namespace: 'default', name: 'deny' }, spec })
  const said = async (reason: string): Promise<string | undefined> =>
    (await client.list(events, { namespace: 'default' })).items.find((event) => event.reason === reason)?.message
  assert.match((await until(() => said('NotEnforced'))) ?? '', /guests that start reach nothing: .*nsenter/)

  assert.equal(spawnSync('unshare', [`--net=${namespace}`, 'nft', '-f', '-'], { input: networkRules }).status, 0)
  assert.equal(await until(() => said('Enforced')), 'filters the traffic of 0 guests')
  const listed = (): string => spawnSync('nsenter', [`--net=${namespace}`, 'nft', 'list', 'ruleset'], { encoding: 'utf8' }).stdout
  await client.create(serviceAccounts, { metadata: { namespace: 'default', name: 'default' } })
  const guest: Pod = {
    metadata: { namespace: 'default', name: 'guest', labels: { app: 'web' } },
    spec: { containers: [{ name: 'compute', image: 'x' }] },
  }
  await client.create(pods, guest)
  const key = { namespace: 'default', name: 'guest' }
  await client.patch(pods, key, { type: 'merge', body: { status: { phase: 'Running', podIP: '10.77.1.1' } } }, { subresource: 'status' })
  await until(() => Promise.resolve(/10\.77\.1\.1 : jump ingress-of-/.test(listed())))
  assert.doesNotMatch(listed(), /0x0a4d0101/)
  await client.patch(pods, key, { type: 'merge', body: { metadata: { labels: { app: 'db' } } } })
  await until(() => Promise.resolve(/0x0a4d0101/.test(listed())))
  assert.doesNotMatch(listed(), /jump/)
})
