import { readFile } from 'node:fs/promises'
import type { DataDirectory } from '../data-directory.ts'
import type { Pki } from '../pki/pki.ts'
import { compileCache, type Release } from '../release/release.ts'

/**
 * What this machine adds to the components that the operator installs: where their files are, and
 * who they are.
 */
export interface MachinePlatform {
  /** Flags by component; `$(NODE_NAME)` and `$(POD_IP)` stand for those of the pod. */
  readonly args: Readonly<Record<string, readonly string[]>>
  readonly environment: Readonly<Record<string, string>>
  /** Annotations of the pods. */
  readonly annotations: Readonly<Record<string, string>>
  /** Node that the components run on of which there is one. */
  readonly controlPlaneNode: string
  /**
   * Whether each component has the service account of its name. Otherwise its flags say who it is.
   */
  readonly hasAccounts?: boolean
  /**
   * Folders of the node that a component works in, by component. In its pod they have the same
   * paths.
   */
  readonly nodeFolders?: Readonly<Record<string, readonly string[]>>
  /**
   * Whether nodes get what they show each other when guests move from Secrets. Otherwise they have
   * files of their own.
   */
  readonly hasMigrationSecrets?: boolean
}

/** What the platform is made of. */
export interface PlatformContext {
  readonly directory: DataDirectory
  readonly pki: Pki
  readonly release: Release
  /** The first one carries the control plane. */
  readonly nodes: readonly string[]
  /** `kvm`, `tcg`, or undefined to let each node find out. */
  readonly accelerator?: string
}

/** Path of a component's kubeconfig. */
export function componentKubeconfig(directory: DataDirectory, user: string): string {
  return `${directory.pki}/${user}.kubeconfig`
}

/** The platform that a data directory is. Pure. */
export function machinePlatform({ directory, pki, release, nodes, accelerator }: PlatformContext): MachinePlatform {
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
        `--migration-certificates=${pki.migration('$(NODE_NAME)').directory}`,
        ...(accelerator === undefined ? [] : [`--accelerator=${accelerator}`]),
      ],
    },
    environment: { NODE_COMPILE_CACHE: compileCache(release), STEADYVM_HOME: directory.root },
    // Two versions of a component are on one machine while the one takes over from the other.
    annotations: { 'steadyvm.io/own-address': 'true' },
    controlPlaneNode: nodes[0] ?? '',
  }
}

/**
 * Where the node agent of any other cluster finds the pods of guests, puts sockets, and keeps what
 * it need not find out twice.
 */
const [podsFolder, runFolder, cacheFolder] = ['/var/lib/kubelet/pods', '/run/steadyvm', '/var/cache/steadyvm'] as const

/** What any other cluster adds: pods know by themselves where the API is, and who they are. */
export const clusterPlatform: MachinePlatform = {
  args: { 'virt-handler': [`--pods=${podsFolder}`, `--run=${runFolder}`, `--cache=${cacheFolder}`] },
  environment: {},
  annotations: {},
  controlPlaneNode: '',
  hasAccounts: true,
  nodeFolders: { 'virt-handler': [podsFolder, runFolder, cacheFolder] },
  hasMigrationSecrets: true,
}

/** Reads the platform that `up` has written for the operator. */
export async function readPlatform(file: string): Promise<MachinePlatform> {
  return JSON.parse(await readFile(file, 'utf8')) as MachinePlatform
}
