import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { handoverDriver } from '#api/steadyvm/v1alpha1/handover-driver.ts'
import { handoverVolume, launcherUser, mountPoints } from '#features/launcher/index.ts'

/** QEMU needs no rights: the node agent prepares its files. The group owns the pod's volumes. */
const podSecurity = {
  runAsUser: launcherUser,
  runAsGroup: launcherUser,
  runAsNonRoot: true,
  fsGroup: launcherUser,
  seccompProfile: { type: 'RuntimeDefault' },
} as const

/** Fields of a pod with one container of the launcher's image. */
interface ContainedPod {
  readonly spec: Pick<Pod['spec'], 'securityContext'>
  readonly container: Pick<Container, 'securityContext'>
  readonly mounts: NonNullable<Container['volumeMounts']>
  readonly volumes: NonNullable<Pod['spec']['volumes']>
}

/** Fields of a launcher that runs in a container, and gets files from the node agent. */
export const inContainer: ContainedPod = {
  spec: { securityContext: podSecurity },
  container: { securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } },
  mounts: [{ name: handoverVolume, mountPath: mountPoints.handover }],
  volumes: [{ name: handoverVolume, csi: { driver: handoverDriver } }],
}
