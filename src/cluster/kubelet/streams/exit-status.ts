import type { Status } from '#apimachinery/errors.ts'

/** Status for the exit code of a command; kubectl exits with the code in it. */
export function exitStatus(exitCode: number): Status {
  if (exitCode === 0) return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    // Not a reason of an API answer, and the one that clients of streams look for.
    reason: 'NonZeroExitCode' as '',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  }
}

/** Status for a failure outside of the command. */
export function failureStatus(message: string): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason: 'InternalError', code: 500 }
}
