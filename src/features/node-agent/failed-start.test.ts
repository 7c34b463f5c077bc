import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { events } from '#api/core/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { found, startTestCluster, until } from '../cluster.fixture.ts'
import { launcherProcesses, nothingLeft, qemuBinary, testHost, webVm, webVmi } from './guest.fixture.ts'

interface Case {
  readonly name: string
  /** A program in place of QEMU; undefined: there is none. */
  readonly program?: string
  /** Bytes of the guest's disk image. */
  readonly image?: string
  readonly reason: string
  readonly message: RegExp
}

// Each fails in the real QEMU, or for want of it.
const cases: readonly Case[] = [
  { name: 'is not there', reason: 'GuestCrashed', message: /exit code 127.*not found/ },
  {
    name: 'does not understand an argument',
    program: `exec ${qemuBinary} -no-such-option "$@"`,
    reason: 'GuestCrashed',
    message: /exit code 1.*no-such-option/,
  },
  {
    name: 'gets no memory',
    program: `ulimit -v 400000; exec ${qemuBinary} "$@" -m 512M`,
    reason: 'GuestCrashed',
    message: /exit code 1.*(allocate|memory)/i,
  },
  { name: 'is killed at once', program: 'kill -KILL $$', reason: 'GuestCrashed', message: /signal 9/ },
  {
    name: 'cannot read the image',
    program: `exec ${qemuBinary} "$@"`,
    image: 'QFI\xfb\x00\x00\x00\x63'.padEnd(4096, '\0'),
    reason: 'DiskImageError',
    message: /version/i,
  },
]

suite('a guest whose QEMU', { skip: !existsSync(qemuBinary) }, () => {
  for (const { name, program, image, reason, message } of cases) {
    test(`${name}: the VMI fails and says why, the VM tries again later, and nothing is left`, async () => {
      const directory = mkdtempSync(join(tmpdir(), 'qemu-'))
      const binary = join(directory, 'qemu')
      if (program !== undefined) writeFileSync(binary, `#!/bin/sh\n${program}\n`)
      if (program !== undefined) chmodSync(binary, 0o755)
      await using cluster = await startTestCluster({
        host: await testHost(binary),
        ...(image === undefined ? {} : { guestImage: imageRoot(directory, image) }),
      })
      for (const part of ['virt-controller', 'kubelet', 'node-agent'] as const) cluster.start(part)
      const { client } = cluster
      await client.create(virtualMachines, webVm('Once', 1))
      const failed = await until(async () => {
        const vmi = await webVmi(cluster)
        return vmi?.status?.phase === 'Failed' && vmi
      })
      assert.equal(failed.status?.reason, reason)
      const ready = failed.status?.conditions?.find(({ type }) => type === 'Ready')
      assert.match(ready?.message ?? '', message)
      await client.patch(
        virtualMachines,
        { namespace: 'default', name: 'web' },
        { type: 'merge', body: { spec: { runStrategy: 'Always' } } },
      )
      const waiting = await until(async () => {
        const vm = await found(client, virtualMachines, 'web')
        return vm?.status?.printableStatus === 'CrashLoopBackOff' && vm
      })
      assert.equal(waiting.status?.startFailure?.consecutiveFailCount, 1)
      await until(() => launcherProcesses(cluster).length === 0)
      const told = (await client.list(events, { namespace: 'default' })).items.filter(({ reason: why }) => why === 'Stopped')
      assert.match(told[0]?.message ?? '', message)
      await client.delete(virtualMachines, { namespace: 'default', name: 'web' })
      await nothingLeft(cluster)
      rmSync(directory, { recursive: true })
    })
  }
})

function imageRoot(parent: string, content: string): string {
  const root = join(parent, 'image')
  mkdirSync(join(root, 'disk'), { recursive: true })
  writeFileSync(join(root, 'disk/boot.qcow2'), Buffer.from(content, 'latin1'))
  return root
}
