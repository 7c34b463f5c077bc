import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { handoverDriver } from '#api/steadyvm/v1alpha1/handover-driver.ts'
import { publishedAtVariable, type Platform } from '#runtime/process/platform.ts'
import type { DataDirectory } from '../home/data-directory.ts'
import { podNetworkPlace } from '../network/pod-network.ts'
import type { Pki } from '../pki/pki.ts'
import { compileCache, type Release } from '../release/release.ts'

/** Parameters of {@link machinePlatform}. */
export interface PlatformContext {
  readonly directory: DataDirectory
  readonly pki: Pki
  readonly release: Release
  /** Identifies the code of a program. */
  readonly identify: (program: string) => string
  /** The first one runs the control plane. */
  readonly nodes: readonly string[]
  /** Port of the API server. */
  readonly apiPort: number
  /** See MachineConfig. */
  readonly podNetwork?: string | undefined
  /** `kvm`, `tcg`, or undefined for detection by each node. */
  readonly accelerator?: string
}

/** Returns the path of a component's kubeconfig. */
export function componentKubeconfig(directory: DataDirectory, user: string): string {
  return `${directory.pki}/${user}.kubeconfig`
}

/** Builds the platform of a home. Pure. */
export function machinePlatform({ directory, pki, release, identify, nodes, apiPort, podNetwork, accelerator }: PlatformContext): Platform {
  const kubeconfig = (user: string): string => `--kubeconfig=${componentKubeconfig(directory, user)}`
  return {
    args: {
      'virt-api': [kubeconfig('virt-api')],
      'virt-controller': [kubeconfig('virt-controller')],
      'virt-handler': [
        kubeconfig('virt-handler-$(NODE_NAME)'),
        `--pods=${directory.node('$(NODE_NAME)').pods}`,
        `--run=${directory.run}`,
        `--cache=${directory.cache}`,
        ...(podNetwork === undefined ? [] : networkFlags(directory, podNetwork)),
        `--migration-certificates=${pki.migration('$(NODE_NAME)').directory}`,
        ...(accelerator === undefined ? [] : [`--accelerator=${accelerator}`]),
      ],
    },
    environment: {
      NODE_COMPILE_CACHE: compileCache(release),
      STEADYVM_HOME: directory.root,
      // Not a flag: components of earlier releases would refuse it.
      [publishedAtVariable]: `127.0.0.1:${apiPort}`,
    },
    // During an upgrade two versions of a component run on this machine.
    annotations: { 'steadyvm.io/own-address': 'true', 'steadyvm.io/programs': digest(installedComponents.map(identify)) },
    controlPlaneNode: nodes[0] ?? '',
  }
}

function networkFlags(directory: DataDirectory, podNetwork: string): string[] {
  const { directory: folder } = podNetworkPlace(directory.root, podNetwork)
  return [`--pod-network=${folder}`, `--network-addresses=${directory.networkAddresses}`]
}

const installedComponents = ['virt-api', 'virt-controller', 'virt-handler'] as const

/** Returns a short hash: what it is made of does not matter, only that it changes. */
function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12)
}

/** The kubelet's folder where it is not configured otherwise. */
export const defaultKubeletRoot = '/var/lib/kubelet'

/** Folder in which each kubelet looks for device plugins, whatever its own one is. */
export const devicePluginFolder = '/var/lib/kubelet/device-plugins'

/** Other host paths of the node agent on a Kubernetes cluster. */
const [runFolder, cacheFolder] = ['/run/steadyvm', '/var/cache/steadyvm'] as const

/**
 * Builds the platform of a Kubernetes cluster: pods use their service account and the `kubernetes`
 * service. `kubeletRoot`: folder of the kubelets (`--root-dir`). Pure.
 */
export function clusterPlatform(kubeletRoot: string = defaultKubeletRoot): Platform {
  return {
    args: {
      'virt-controller': ['--launchers=containers'],
      'virt-handler': [`--kubelet-root=${kubeletRoot}`, `--run=${runFolder}`, `--cache=${cacheFolder}`],
    },
    environment: {},
    annotations: {},
    controlPlaneNode: '',
    runsContainers: true,
    nodeFolders: {
      'virt-handler': [
        { path: runFolder },
        { path: cacheFolder },
        { path: `${kubeletRoot}/plugins/${handoverDriver}` },
        { path: `${kubeletRoot}/plugins_registry` },
        { path: devicePluginFolder },
        // The kubelet names a folder of the pod in which the node agent mounts the pod's directory.
        { path: `${kubeletRoot}/pods`, mounts: true },
      ],
    },
    hasMigrationSecrets: true,
  }
}

/** Reads the platform that `up` wrote for the operator. */
export async function readPlatform(file: string): Promise<Platform> {
  return JSON.parse(await readFile(file, 'utf8')) as Platform
}
