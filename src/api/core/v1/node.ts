import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Int64, Quantity, Time } from '#api/scalars.ts'
import type { ObjectReference } from './references.ts'

/** Machine, or one of several logical nodes on a machine, that runs pods. */
export interface Node extends ApiObject {
  /** Desired state of the node. */
  spec?: NodeSpec
  /** Observed state of the node. */
  status?: NodeStatus
}

/** Desired state of a node. */
export interface NodeSpec {
  /** Range of IP addresses for pods on the node. */
  podCIDR?: string
  /**
   * Ranges of IP addresses for pods on the node, one per IP family.
   * @listType set
   * @patchStrategy merge
   */
  podCIDRs?: string[]
  /** ID of the node at the infrastructure provider. */
  providerID?: string
  /** True if no new pods are scheduled to the node. */
  unschedulable?: boolean
  /**
   * Taints that exclude pods without a matching toleration.
   * @listType atomic
   */
  taints?: Taint[]
}

/** Taint of a node that excludes pods without a matching toleration. */
export interface Taint {
  /** Key of the taint. */
  key: string
  /** Value of the taint. */
  value?: string
  /** Effect on pods without a matching toleration: NoSchedule, PreferNoSchedule or NoExecute. */
  effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
  /** Time when a NoExecute taint was added. */
  timeAdded?: Time
}

/** Observed state of a node. */
export interface NodeStatus {
  /** Resources of the machine. */
  capacity?: Record<string, Quantity>
  /** Resources available to pods. */
  allocatable?: Record<string, Quantity>
  /** Phase of the node. Deprecated and unused. */
  phase?: string
  /**
   * Conditions of the node.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: NodeCondition[]
  /**
   * Addresses of the node.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  addresses?: NodeAddress[]
  /** Ports of the daemons on the node. */
  daemonEndpoints?: NodeDaemonEndpoints
  /** System information of the node. */
  nodeInfo?: NodeSystemInfo
  /**
   * Images on the node.
   * @listType atomic
   */
  images?: ContainerImage[]
  /**
   * Names of the attachable volumes in use.
   * @listType atomic
   */
  volumesInUse?: string[]
  /**
   * Volumes that are attached to the node.
   * @listType atomic
   */
  volumesAttached?: AttachedVolume[]
  /** Status of the kubelet configuration, when the configuration is managed. */
  config?: NodeConfigStatus
  /**
   * Container runtimes of the node and their features.
   * @listType atomic
   */
  runtimeHandlers?: NodeRuntimeHandler[]
  /** Features of the software of the node. */
  features?: NodeFeatures
  /**
   * Names of features that pods may require.
   * @listType atomic
   */
  declaredFeatures?: string[]
}

/** Condition of a node. */
export interface NodeCondition {
  /**
   * Type of the condition: Ready, MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable.
   */
  type: string
  /** Status of the condition: True, False or Unknown. */
  status: 'True' | 'False' | 'Unknown'
  /** Time of the last check of the condition. */
  lastHeartbeatTime?: Time
  /** Time of the last transition of the status. */
  lastTransitionTime?: Time
  /** Reason of the last transition, as one CamelCase word. */
  reason?: string
  /** Human-readable explanation of the last transition. */
  message?: string
}

/** Address of a node. */
export interface NodeAddress {
  /** Type of the address: Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS. */
  type: string
  /** IP address or host name. */
  address: string
}

/** Ports of the daemons on a node. */
export interface NodeDaemonEndpoints {
  /** Endpoint of the kubelet. */
  kubeletEndpoint?: DaemonEndpoint
}

/** Endpoint of a daemon. */
export interface DaemonEndpoint {
  /** Port number. */
  Port: Int32
}

/** System information of a node. */
export interface NodeSystemInfo {
  /** ID of the machine, unique within the cluster. */
  machineID: string
  /** UUID of the machine, from the firmware. */
  systemUUID: string
  /** ID of the boot; changes with every boot. */
  bootID: string
  /** Version of the kernel. */
  kernelVersion: string
  /** Name of the operating system release. */
  osImage: string
  /** Version of the container runtime. */
  containerRuntimeVersion: string
  /** Version of the kubelet. */
  kubeletVersion: string
  /** Version of the service proxy; deprecated. */
  kubeProxyVersion: string
  /** Operating system: `linux`. */
  operatingSystem: string
  /** Processor architecture: `amd64`, `arm64`. */
  architecture: string
  /** Swap of the node. */
  swap?: NodeSwapStatus
}

/** Swap of a node. */
export interface NodeSwapStatus {
  /** Amount of swap in bytes. */
  capacity?: Int64
}

/** Image on a node. */
export interface ContainerImage {
  /**
   * Names of the image.
   * @listType atomic
   */
  names?: string[]
  /** Size of the image in bytes. */
  sizeBytes?: Int64
}

/** Volume that is attached to a node. */
export interface AttachedVolume {
  /** Name of the volume. */
  name: string
  /** Device path on the node. */
  devicePath: string
}

/** Features of one container runtime. */
export interface NodeRuntimeHandler {
  /** Name of the runtime; empty for the default runtime. */
  name?: string
  /** Supported features. */
  features?: NodeRuntimeHandlerFeatures
}

/** Features of a container runtime. */
export interface NodeRuntimeHandlerFeatures {
  /** True if recursive read-only mounts are supported. */
  recursiveReadOnlyMounts?: boolean
  /** True if user namespaces are supported. */
  userNamespaces?: boolean
}

/** Features of the software of a node. */
export interface NodeFeatures {
  /** True if supplemental groups policies are supported. */
  supplementalGroupsPolicy?: boolean
}

/** Status of the configuration of a kubelet. */
export interface NodeConfigStatus {
  /** Assigned configuration. */
  assigned?: NodeConfigSource
  /** Active configuration. */
  active?: NodeConfigSource
  /** Fallback configuration. */
  lastKnownGood?: NodeConfigSource
  /** Error of the assigned configuration. */
  error?: string
}

/** Source of the configuration of a kubelet. */
export interface NodeConfigSource {
  /** ConfigMap with the configuration. */
  configMap?: ObjectReference
}
