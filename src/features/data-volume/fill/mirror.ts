import { names } from '../names.ts'
import { restartsOf } from '../worker/worker-state.ts'
import type { FillStep } from './decide-fill.ts'

/** Stage in which a worker takes uploads. */
export const uploadStage = 'WaitingForUpload'

/**
 * Returns CDI's annotations of a claim about its worker. Clients read them, also where a DataVolume
 * says the same. Those of `recordSuccess` and `recordFailure` are the record of the result. Pure.
 */
export function mirrorOf(step: Extract<FillStep, { kind: 'follow' | 'recordSuccess' | 'recordFailure' }>): Record<string, string> {
  const common = { [names.importPod]: step.pod.metadata.name ?? '', [names.podRestarts]: String(restartsOf(step.pod)) }
  switch (step.kind) {
    case 'recordSuccess':
      return {
        ...common,
        [names.podPhase]: 'Succeeded',
        [names.podReady]: 'false',
        ...running('false', step.result.reason, step.result.message),
      }
    case 'recordFailure':
      return {
        ...common,
        [names.podPhase]: 'Failed',
        [names.podReady]: 'false',
        [names.fatalError]: 'true',
        ...running('false', step.wait.reason, step.wait.message),
      }
    case 'follow': {
      const { wait, pod, progress } = step
      const hasStarted = pod.status?.phase === 'Running'
      const isReady = progress?.stage === uploadStage
      return {
        ...common,
        [names.podPhase]: hasStarted ? 'Running' : 'Pending',
        [names.podReady]: String(isReady),
        ...running(
          String(hasStarted && wait === undefined),
          wait?.reason ?? (hasStarted ? 'Pod is running' : 'Pending'),
          wait?.message ?? '',
        ),
      }
    }
  }
}

/** Annotations of a claim that its driver has filled: the record of that. */
export const cloneRecord: Readonly<Record<string, string>> = {
  [names.podPhase]: 'Succeeded',
  [names.podReady]: 'false',
  ...running('false', 'Completed', ''),
}

function running(status: string, reason: string, message: string): Record<string, string> {
  return { [names.running]: status, [names.runningReason]: reason, [names.runningMessage]: message }
}
