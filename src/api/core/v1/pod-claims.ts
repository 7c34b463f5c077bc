import type { Pod } from './pod.ts'

/**
 * Returns the claims of a pod, also those that Kubernetes makes for its ephemeral volumes, which
 * are named after pod and volume.
 */
export function claimsOfPod({
  metadata,
  spec,
}: Pick<Pod, 'metadata' | 'spec'>): readonly { readonly name: string; readonly readOnly: boolean }[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim: claim, ephemeral }) => {
    if (claim !== undefined) return [{ name: claim.claimName, readOnly: claim.readOnly === true }]
    return ephemeral === undefined ? [] : [{ name: `${metadata.name ?? ''}-${name}`, readOnly: false }]
  })
}
