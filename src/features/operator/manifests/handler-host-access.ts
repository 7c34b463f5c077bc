import type { Container, VolumeMount } from '#api/core/v1/container.ts'
import type { PodSpec } from '#api/core/v1/pod.ts'
import type { Volume } from '#api/core/v1/volume.ts'
import { certificateNames } from '#features/certificates/index.ts'
import { agentServerName } from '#features/guest-access/index.ts'
import type { Platform } from '#runtime/process/platform.ts'

/** Volumes and privileges by which a component's pods access their node. */
export interface HostAccess {
  readonly args: readonly string[]
  readonly spec: Pick<PodSpec, 'volumes' | 'hostPID'>
  readonly container: Pick<Container, 'volumeMounts' | 'securityContext'>
}

const migrationFolder = '/etc/steadyvm/migration'

/**
 * Returns hostPath folders of the node, for which the component runs privileged: it starts guests
 * with the node's devices. Where nodes have no migration certificates of their own, a Secret is
 * mounted under QEMU's file names, which the kubelet keeps up to date. Empty for a component
 * without folders. Pure.
 */
export function hostAccessOf(
  component: string,
  namespace: string,
  { nodeFolders = {}, hasMigrationSecrets = false }: Platform,
): HostAccess {
  const folders = nodeFolders[component] ?? []
  if (folders.length === 0) return { args: [], spec: {}, container: {} }
  const volumes: Volume[] = folders.map(({ path }) => ({ name: nameOf(path), hostPath: { path, type: 'DirectoryOrCreate' } }))
  const volumeMounts: VolumeMount[] = folders.map(({ path, mounts = false }) => ({
    name: nameOf(path),
    mountPath: path,
    ...(mounts ? { mountPropagation: 'Bidirectional' } : {}),
  }))
  const securityContext = { privileged: true, runAsUser: 0 }
  if (!hasMigrationSecrets) return { args: [], spec: { volumes, hostPID: true }, container: { volumeMounts, securityContext } }
  return {
    args: [`--migration-certificates=${migrationFolder}`, `--migration-name=${agentServerName(namespace)}`],
    spec: { volumes: [...volumes, migrationVolume], hostPID: true },
    container: {
      volumeMounts: [...volumeMounts, { name: migrationVolume.name, mountPath: migrationFolder, readOnly: true }],
      securityContext,
    },
  }
}

/** Uses the file names that QEMU looks for. */
const migrationVolume: Volume = {
  name: 'migration-certificates',
  projected: {
    defaultMode: 0o400,
    sources: [
      {
        configMap: { name: certificateNames.authority, items: [{ key: certificateNames.bundleKey, path: 'ca-cert.pem' }] },
      },
      ...(
        [
          [certificateNames.migrationServer, 'server'],
          [certificateNames.migrationClient, 'client'],
        ] as const
      ).map(([name, side]) => ({
        secret: {
          name,
          items: [
            { key: 'tls.crt', path: `${side}-cert.pem` },
            { key: 'tls.key', path: `${side}-key.pem` },
          ],
        },
      })),
    ],
  },
}

/** Converts `/var/lib/kubelet/pods` to `var-lib-kubelet-pods`. */
function nameOf(path: string): string {
  return path.slice(1).replaceAll(/[/_.]/g, '-').slice(-63).replace(/^-+/, '')
}
