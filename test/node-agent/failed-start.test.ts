import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { events } from '#api/core/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { found, startTestCluster, until } from '#features/cluster.fixture.ts'
import {
  launcherProcesses,
  noSwtpm,
  nothingLeft,
  qemuBinary,
  testHost,
  webVm,
  webVmi,
  withTpm,
} from '#features/node-agent/guest.fixture.ts'

interface Case {
  readonly name: string
  /** Program to run instead of QEMU; undefined: a missing one. */
  readonly program?: string
  /** Program of the guest's TPM; undefined: no TPM. */
  readonly tpm?: string
  /** Bytes of the guest's disk image. */
  readonly image?: string
  readonly reason: string
  readonly message: RegExp
}

// Each fails in the real QEMU, or for want of it.
const cases: readonly Case[] = [
  { name: 'is missing', reason: 'GuestCrashed', message: /exit code 127.*not found/ },
  {
    name: 'does not understand an argument',
    program: `exec ${qemuBinary} -no-such-option "$@"`,
    reason: 'GuestCrashed',
    message: /exit code 1.*no-such-option/,
  },
  {
    name: 'gets no memory',
    // There is room for QEMU itself: what fails is the guest's memory, and nothing else.
    program: `ulimit -v 40000000; exec ${qemuBinary} "$@" -m 512G`,
    reason: 'GuestCrashed',
    message: /exit code 1.*(allocate|memory)/i,
  },
  { name: 'is killed at once', program: 'kill -KILL $$', reason: 'GuestCrashed', message: /signal 9/ },
  {
    name: 'is killed before it has reached its TPM',
    program: 'kill -KILL $$',
    tpm: 'swtpm "$@"',
    reason: 'GuestCrashed',
    message: /signal 9/,
  },
  { name: 'gets no TPM', tpm: 'echo swtpm: no state >&2; exit 1', reason: 'GuestCrashed', message: /exit code 1.*swtpm: no state/ },
  {
    name: 'cannot read the image',
    program: `exec ${qemuBinary} "$@"`,
    image: 'QFI\xfb\x00\x00\x00\x63'.padEnd(4096, '\0'),
    reason: 'DiskImageError',
    message: /version/i,
  },
]

suite('a guest whose QEMU', { skip: !existsSync(qemuBinary) }, () => {
  for (const { name, program, tpm, image, reason, message } of cases) {
    const skip = tpm?.startsWith('swtpm') === true && noSwtpm
    test(`${name}: the VMI fails with a reason, the VM retries later, and no process is left`, { skip }, async () => {
      const directory = mkdtempSync(join(tmpdir(), 'qemu-'))
      const [binary, tpmEmulator] = [join(directory, 'qemu'), join(directory, 'tpm')]
      if (program !== undefined) writeProgram(binary, program)
      if (tpm !== undefined) writeProgram(tpmEmulator, tpm)
      await using cluster = await startTestCluster({
        host: { ...(await testHost(binary)), tpmEmulator },
        ...(image === undefined ? {} : { guestImage: imageRoot(directory, image) }),
      })
      for (const part of ['virt-controller', 'kubelet', 'node-agent'] as const) cluster.start(part)
      const { client } = cluster
      await client.create(virtualMachines, tpm === undefined ? webVm('Once', 1) : withTpm(webVm('Once', 1)))
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

function writeProgram(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
}

function imageRoot(parent: string, content: string): string {
  const root = join(parent, 'image')
  mkdirSync(join(root, 'disk'), { recursive: true })
  writeFileSync(join(root, 'disk/boot.qcow2'), Buffer.from(content, 'latin1'))
  return root
}
