/**
 * Environment variable of components: address at which the API server publishes exports. Without it
 * there is none.
 */
export const publishedAtVariable = 'STEADYVM_PUBLISHED_AT'

/** A folder of the node. */
export interface NodeFolder {
  readonly path: string
  /** True if the component mounts file systems in it that the node must see. */
  readonly mounts?: boolean
}

/**
 * Settings that the place of an installation adds to its components: a machine writes them into
 * `platform.json`, and virt-operator applies them to the objects that it installs.
 */
export interface Platform {
  /** Flags by component; `$(NODE_NAME)` and `$(POD_IP)` are replaced with those of the pod. */
  readonly args: Readonly<Record<string, readonly string[]>>
  readonly environment: Readonly<Record<string, string>>
  /** Annotations of the pods. */
  readonly annotations: Readonly<Record<string, string>>
  /** Preferred node of components with one replica. Empty: any. */
  readonly controlPlaneNode: string
  /**
   * True if kubelets run containers, with the token and security context of a pod. Machine mode's
   * kubelets run processes, which have their own kubeconfig and user.
   */
  readonly runsContainers?: boolean
  /**
   * Host folders by component, at the same path in its pod, which then also sees the processes of
   * the node.
   */
  readonly nodeFolders?: Readonly<Record<string, readonly NodeFolder[]>>
  /**
   * True if node agents read their migration certificates from Secrets. Otherwise nodes have files
   * of their own.
   */
  readonly hasMigrationSecrets?: boolean
}
