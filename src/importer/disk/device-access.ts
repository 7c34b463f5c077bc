import { access, constants } from 'node:fs/promises'
import { type FailureReason, ImportFailure } from '../failure.ts'

/**
 * Checks that this process may use a block device. Container runtimes give the devices of volumes
 * to root, unless they are told to give them to the user of the pod. @throws ImportFailure
 */
export async function requireDevice(path: string, use: 'read' | 'write'): Promise<void> {
  const isWritten = use === 'write'
  const reason: FailureReason = isWritten ? 'TargetUnusable' : 'SourceRefused'
  try {
    await access(path, isWritten ? constants.R_OK | constants.W_OK : constants.R_OK)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'EACCES' && code !== 'EPERM') throw error
    const what = `The block volume cannot be ${isWritten ? 'written' : 'read'} (${message})`
    const advice = 'set "device_ownership_from_security_context = true" in the configuration of containerd or CRI-O on all nodes'
    throw new ImportFailure(reason, `${what}: ${advice}, or use a claim with volumeMode Filesystem`, { fatal: false, cause: error })
  }
}
