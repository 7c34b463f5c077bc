import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { pods } from '#api/core/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { startTestCluster, until } from '#features/cluster.fixture.ts'
import { bootedGuest, launcherProcesses, nothingLeft, qemuBinary, testHost, webVm, webVmi } from '#features/node-agent/guest.fixture.ts'

test('a QEMU that hangs is killed after the grace period, and the VMI reports it', { skip: !existsSync(qemuBinary) }, async () => {
  await using cluster = await startTestCluster({ host: await testHost() })
  for (const part of ['virt-controller', 'kubelet', 'node-agent'] as const) cluster.start(part)
  const { client } = cluster
  await client.create(virtualMachines, webVm('Once', 1))
  const { process: qemu } = await bootedGuest(cluster)
  process.kill(qemu.pid, 'SIGSTOP')
  const [pod] = (await client.list(pods, { namespace: 'default' })).items
  await client.delete(pods, { namespace: 'default', name: pod?.metadata.name ?? '' })
  const ended = await until(async () => {
    const vmi = await webVmi(cluster)
    return vmi?.status?.phase === 'Failed' && vmi
  })
  assert.equal(ended.status?.reason, 'Killed')
  await until(() => launcherProcesses(cluster).length === 0)
  await client.delete(virtualMachines, { namespace: 'default', name: 'web' })
  await nothingLeft(cluster)
})
