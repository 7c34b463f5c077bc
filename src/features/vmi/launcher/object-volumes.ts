import type { Volume } from '#api/core/v1/volume.ts'
import type { VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { credentialVolume, diskVolume, networkDataVolume, userDataVolume } from './launcher-volumes.ts'

/** A Secret or ConfigMap of which a guest gets the content, as a volume of its pod. */
export interface ObjectVolume {
  readonly podVolume: string
  readonly kind: 'secret' | 'configMap'
  readonly name: string
  /** True if the object may be missing. */
  readonly optional?: boolean
}

/**
 * Returns the Secrets and ConfigMaps that a guest gets: data of cloud-init, access credentials, and
 * volumes of their keys. The kubelet gives them to the pod, so that node agents read no Secrets.
 */
export function objectVolumes({ volumes = [], accessCredentials = [] }: VirtualMachineInstanceSpec): ObjectVolume[] {
  const found = [
    ...volumes.flatMap(({ name, cloudInitNoCloud, secret, configMap }) => [
      ...secretOf(cloudInitNoCloud?.secretRef?.name, userDataVolume(name)),
      ...secretOf(cloudInitNoCloud?.networkDataSecretRef?.name, networkDataVolume(name)),
      ...secretOf(secret?.secretName, diskVolume(name), secret?.optional),
      ...(configMap === undefined
        ? []
        : [{ podVolume: diskVolume(name), kind: 'configMap' as const, name: configMap.name ?? '', ...optionally(configMap.optional) }]),
    ]),
    ...accessCredentials.flatMap(({ sshPublicKey, userPassword }) => {
      const name = (sshPublicKey ?? userPassword)?.source.secret?.secretName
      return secretOf(name, credentialVolume(name ?? ''))
    }),
  ]
  // Several credentials may share a Secret.
  return [...new Map(found.map((each) => [each.podVolume, each])).values()]
}

function secretOf(name: string | undefined, podVolume: string, optional?: boolean): ObjectVolume[] {
  return name === undefined || name === '' ? [] : [{ podVolume, kind: 'secret', name, ...optionally(optional) }]
}

function optionally(optional: boolean | undefined): { readonly optional?: boolean } {
  return optional === undefined ? {} : { optional }
}

/** Returns the volume of a pod. */
export function podVolumeOf({ podVolume, kind, name, optional }: ObjectVolume): Volume {
  return kind === 'secret'
    ? { name: podVolume, secret: { secretName: name, ...optionally(optional) } }
    : { name: podVolume, configMap: { name, ...optionally(optional) } }
}
