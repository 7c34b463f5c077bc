import { initializing, notReady, type SourceCondition, type SourceState, type SourceVolume } from './source.ts'

/** What is known of a claim that is exported. */
export interface ObservedClaim {
  readonly namespace: string
  readonly name: string
  readonly volume: (SourceVolume & { readonly isFilled: boolean }) | undefined
  readonly isInUse: boolean
}

/** Decides what a claim as the source means. KubeVirt's reasons and texts. Pure. */
export function claimSource({ namespace, name, volume, isInUse }: ObservedClaim): SourceState {
  if (volume === undefined) {
    const message = `PersistentVolumeClaim ${namespace}/${name} not found`
    return { volumes: [], isAvailable: false, ready: initializing, own: claimCondition('False', 'PVCNotFound', message) }
  }
  const { phase } = volume.claim.status ?? {}
  return {
    volumes: [volume],
    isAvailable: volume.isFilled && !isInUse,
    ready: readinessOf(`PersistentVolumeClaim ${namespace}/${name}`, volume.isFilled, isInUse),
    own:
      phase === 'Bound'
        ? claimCondition('True', 'PVCBound')
        : claimCondition('False', phase === undefined || phase === 'Pending' ? 'PVCPending' : 'Unknown'),
    isPolled: !volume.isFilled || isInUse,
  }
}

function readinessOf(what: string, isFilled: boolean, isInUse: boolean): SourceCondition {
  if (!isFilled) return notReady('PVCPending', `${what} is not populated`)
  return isInUse ? notReady('InUse', `${what} is in use`) : initializing
}

function claimCondition(status: 'True' | 'False', reason: string, message: string = ''): SourceCondition {
  return { type: 'PVCReady', status, reason, message }
}
