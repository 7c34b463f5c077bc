import type { PodPhase } from './pod.ts'

/** Reports whether the phase is final: all containers have ended and none will be restarted. */
export function isPodPhaseTerminal(phase: PodPhase | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed'
}

/** Reports whether all containers of the pod have ended and none will be restarted. */
export function isPodTerminal({ status }: { readonly status?: { readonly phase?: PodPhase } | undefined }): boolean {
  return isPodPhaseTerminal(status?.phase)
}
