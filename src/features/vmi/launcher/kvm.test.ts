import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Pod } from '#api/core/v1/pod.ts'
import { nodes, pods } from '#api/core/v1/resources.ts'
import { kubeVirts, virtualMachineInstances } from '#api/kubevirt/v1/resources.ts'
import { startTestCluster, type TestCluster } from '#features/cluster.fixture.ts'
import { kvmResource } from '#features/launcher/index.ts'
import { systemClock } from '#runtime/clock/clock.ts'

const spec = { domain: { devices: {}, memory: { guest: '64Mi' }, resources: { limits: { cpu: '1' } } } }

async function addNode({ client }: TestCluster, name: string, accelerator?: 'kvm' | 'tcg'): Promise<void> {
  const labels = accelerator === undefined ? {} : { 'steadyvm.io/accelerator': accelerator }
  await client.create(nodes, { metadata: { name, labels }, spec: {}, status: {} })
}

async function createVmi({ client }: TestCluster): Promise<void> {
  const metadata = { name: 'web', namespace: 'default' }
  await client.create(virtualMachineInstances, { metadata, spec })
}

async function launcherOf({ client }: TestCluster): Promise<Pod> {
  for (;;) {
    const [pod] = (await client.list<Pod>(pods, { namespace: 'default' })).items
    if (pod !== undefined) return pod
    await systemClock.sleep(10)
  }
}

suite('a launcher in a container', () => {
  const cases: readonly (readonly [string, readonly ('kvm' | 'tcg')[], boolean, string | undefined])[] = [
    ['requests KVM when all nodes have it', ['kvm', 'kvm'], false, '1'],
    ['requests KVM when one node has it, so that it is scheduled there', ['tcg', 'kvm'], false, '1'],
    ['is emulated when no node has KVM', ['tcg', 'tcg'], false, undefined],
    ['is emulated when the cluster is configured so', ['kvm'], true, undefined],
  ]
  for (const [title, accelerators, useEmulation, limit] of cases) {
    test(title, { timeout: 60_000 }, async () => {
      await using cluster = await startTestCluster({ inContainer: true })
      const configuration = { developerConfiguration: { useEmulation } }
      await cluster.client.create(kubeVirts, { metadata: { name: 'kubevirt', namespace: 'kubevirt' }, spec: { configuration } })
      for (const [index, accelerator] of accelerators.entries()) await addNode(cluster, `n${index}`, accelerator)
      cluster.start('virt-controller')
      await createVmi(cluster)
      const { limits } = (await launcherOf(cluster)).spec.containers[0]?.resources ?? {}
      assert.deepEqual(limits, { cpu: '1', ...(limit === undefined ? {} : { [kvmResource]: limit }) })
    })
  }

  test('is not created before a node agent has reported the accelerator of its node', { timeout: 60_000 }, async () => {
    await using cluster = await startTestCluster({ inContainer: true })
    await addNode(cluster, 'n0')
    cluster.start('virt-controller')
    await createVmi(cluster)
    await systemClock.sleep(300)
    assert.deepEqual((await cluster.client.list(pods, { namespace: 'default' })).items, [])
    await addNode(cluster, 'n1', 'kvm')
    assert.equal((await launcherOf(cluster)).spec.containers[0]?.resources?.limits?.[kvmResource], '1')
  })
})
