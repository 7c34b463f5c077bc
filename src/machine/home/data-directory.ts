import { createHash } from 'node:crypto'
import { join } from 'node:path'

/**
 * Paths of one machine-mode cluster, its home. Only the list of homes (home-registry.ts) is
 * elsewhere.
 */
export interface DataDirectory {
  readonly root: string
  /** Port and nodes of the cluster. */
  readonly config: string
  readonly pki: string
  /** Platform settings for the operator. */
  readonly platform: string
  /** Manifest of the operator's Deployment. */
  readonly operatorManifest: string
  /** Kubeconfig of the administrator, 0600. */
  readonly kubeconfig: string
  readonly database: string
  /** Image store: one folder per image reference. */
  readonly images: string
  /** Images that were pulled from registries, by digest. */
  readonly pulledImages: string
  /** Settings of registries, which the user writes. */
  readonly registries: string
  /** Releases besides the one that runs `up`: one folder per version. */
  readonly releases: string
  /** Derived data: compiled code, the guest kernel, QEMU's capabilities. */
  readonly cache: string
  readonly logs: string
  /** Configuration and data of Prometheus. */
  readonly monitoring: string
  /** Unix sockets, whose paths are limited to 107 bytes. */
  readonly run: string
  /** Data of PersistentVolumes: one folder per volume. */
  readonly volumes: string
  /** Unix user ids of namespaces, and of guests: one file a range. */
  readonly userRanges: string
  /** Unix user ids of guests: one file a VM. */
  readonly guestUsers: string
  /** Addresses of guests in the pod network: one file per address. */
  readonly addresses: string
  /** Addresses of guests in other networks: a folder per network. */
  readonly networkAddresses: string
  /** Folders of the logical nodes. */
  readonly nodes: string
  /** Returns the paths of one node's kubelet. */
  node(name: string): NodeDirectory
}

/** Paths of one logical node. */
export interface NodeDirectory {
  readonly root: string
  /** Static pod manifests. */
  readonly manifests: string
  readonly pods: string
  readonly kubeconfig: string
  /** Name of the control group of its pods. */
  readonly controlGroup: string
  /** Pid file of the supervisor. */
  readonly supervisorPid: string
  /** While this file exists, the supervisor does not restart the kubelet. */
  readonly stop: string
  readonly log: string
}

/** Computes the paths of a home. Reads and writes nothing. */
export function dataDirectory(root: string): DataDirectory {
  const nodes = join(root, 'nodes')
  return {
    root,
    config: join(root, 'config.json'),
    pki: join(root, 'pki'),
    platform: join(root, 'platform.json'),
    operatorManifest: join(root, 'virt-operator.json'),
    kubeconfig: join(root, 'kubeconfig'),
    database: join(root, 'apiserver', 'state.db'),
    images: join(root, 'images'),
    pulledImages: join(root, 'pulled-images'),
    registries: join(root, 'registries.yaml'),
    releases: join(root, 'releases'),
    cache: join(root, 'cache'),
    logs: join(root, 'logs'),
    monitoring: join(root, 'monitoring'),
    run: join(root, 'run'),
    volumes: join(root, 'volumes'),
    addresses: join(root, 'addresses'),
    networkAddresses: join(root, 'network-addresses'),
    userRanges: join(root, 'user-ranges'),
    guestUsers: join(root, 'guest-users'),
    nodes,
    node(name) {
      const home = join(nodes, name)
      return {
        root: home,
        manifests: join(home, 'manifests'),
        pods: join(home, 'pods'),
        kubeconfig: join(home, 'kubeconfig'),
        controlGroup: `steadyvm-${createHash('sha256').update(home).digest('hex').slice(0, 10)}`,
        supervisorPid: join(home, 'supervisor.pid'),
        stop: join(home, 'stop'),
        log: join(home, 'kubelet.log'),
      }
    },
  }
}

/** Returns the default home: `STEADYVM_HOME`, else `~/.steadyvm`. */
export function defaultRoot(env: Readonly<Record<string, string | undefined>>): string {
  const home = env['STEADYVM_HOME']
  return home !== undefined && home !== '' ? home : join(env['HOME'] ?? '/root', '.steadyvm')
}
