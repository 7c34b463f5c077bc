import { type FileHandle, open } from 'node:fs/promises'
import { launcherUser } from '#features/launcher/index.ts'
import type { TaskContext, TaskDefinition, TaskResults } from '../../task.ts'
import { openClaim } from '../claim-disk.ts'
import { type Disc, DiscDamaged } from './disc/disc.ts'
import { planChanges } from './plan-changes.ts'

/** Where the claim is mounted. */
const mountPath = '/tmp/target-pvc'

/** Makes a Windows installation boot by EFI without a key. */
export const modifyWindowsIsoFile: TaskDefinition = {
  name: 'modify-windows-iso-file',
  description:
    'Makes the Windows ISO file of a PersistentVolumeClaim boot by EFI without waiting for a key. Changes a few bytes in place: a second run after an interruption completes it.',
  parameters: [
    {
      name: 'pvcName',
      type: 'string',
      default: '',
      description: 'PersistentVolumeClaim with the ISO file. It must be in the same namespace as the run',
    },
  ],
  results: [],
  volumes: [{ name: 'target-pvc', mountPath, source: { persistentVolumeClaim: { claimName: '$(params.pvcName)' } } }],
  // Disks of claims belong to QEMU's user.
  user: launcherUser,
  rules: [],
  run,
}

async function run({ environment, log, signal }: TaskContext): Promise<TaskResults> {
  const path = await openClaim(environment, mountPath)
  const file = await open(path, 'r+')
  try {
    const { writes, fileSystems } = await planChanges(discOf(file))
    log(`The boot files are in ${fileSystems.join(', ')}`)
    for (const { offset, bytes } of writes) {
      signal.throwIfAborted()
      await file.write(bytes, 0, bytes.length, offset)
      // In this order on the storage, too.
      await file.sync()
    }
    log(
      writes.length === 0
        ? 'The disc boots without waiting for a key already'
        : `Changed ${writes.length} places: the disc boots without waiting for a key`,
    )
  } finally {
    await file.close()
  }
  return {}
}

function discOf(file: FileHandle): Disc {
  return {
    async read(offset, length) {
      const buffer = Buffer.alloc(length)
      const { bytesRead } = await file.read(buffer, 0, length, offset)
      if (bytesRead < length) throw new DiscDamaged(`it ends before byte ${offset + length}`)
      return buffer
    },
  }
}
