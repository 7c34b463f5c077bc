import type { Container, VolumeMount } from '#api/core/v1/container.ts'
import type { PodSpec } from '#api/core/v1/pod.ts'
import type { Volume } from '#api/core/v1/volume.ts'
import { certificateNames, migrationName } from '#features/certificates/index.ts'
import type { Platform } from './install-strategy.ts'

/** What the pods of a component have of their node, and for it. */
export interface HostAccess {
  readonly args: readonly string[]
  readonly spec: Pick<PodSpec, 'volumes'>
  readonly container: Pick<Container, 'volumeMounts' | 'securityContext'>
}

const migrationFolder = '/etc/steadyvm/migration'

/**
 * Folders of the node, for which the component is privileged: it starts guests with the node's
 * devices. And, when nodes have none of their own, the certificates that they show each other when
 * guests move, as QEMU wants them: the kubelet brings the files up to date. Nothing for a component
 * that works in no folder. Pure.
 */
export function hostAccessOf(
  component: string,
  namespace: string,
  { nodeFolders = {}, hasMigrationSecrets = false }: Platform,
): HostAccess {
  const folders = nodeFolders[component] ?? []
  if (folders.length === 0) return { args: [], spec: {}, container: {} }
  const volumes: Volume[] = folders.map((path) => ({ name: nameOf(path), hostPath: { path, type: 'DirectoryOrCreate' } }))
  // What the kubelet mounts there later is seen, too.
  const volumeMounts: VolumeMount[] = folders.map((path) => ({ name: nameOf(path), mountPath: path, mountPropagation: 'HostToContainer' }))
  const securityContext = { privileged: true, runAsUser: 0 }
  if (!hasMigrationSecrets) return { args: [], spec: { volumes }, container: { volumeMounts, securityContext } }
  return {
    args: [`--migration-certificates=${migrationFolder}`, `--migration-name=${migrationName(namespace)}`],
    spec: { volumes: [...volumes, migrationVolume] },
    container: {
      volumeMounts: [...volumeMounts, { name: migrationVolume.name, mountPath: migrationFolder, readOnly: true }],
      securityContext,
    },
  }
}

/** Names of files are those that QEMU looks for. */
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

/** `/var/lib/kubelet/pods` → `var-lib-kubelet-pods`. */
function nameOf(path: string): string {
  return path.slice(1).replaceAll('/', '-')
}
