import type { ObjectMeta } from '#apimachinery/meta/object-meta.ts'
import type { ApiObject } from '#api/meta/v1/api-object.ts'
import type { Int32, Int64, Quantity, Time } from '#api/scalars.ts'
import type { Affinity, Toleration, TopologySpreadConstraint } from './affinity.ts'
import type { Container, ContainerStatus, EphemeralContainer, ResourceRequirements } from './container.ts'
import type { LocalObjectReference } from './references.ts'
import type { PodSecurityContext } from './security-context.ts'
import type { Volume } from './volume.ts'

/** Processes that are placed, started and ended together. */
export interface Pod extends ApiObject {
  /** Desired state of the pod. */
  spec: PodSpec
  /** Observed state of the pod. */
  status?: PodStatus
}

/** Template of the pods of a workload. */
export interface PodTemplateSpec {
  /** Labels and annotations of the pods. */
  metadata?: ObjectMeta
  /** Spec of the pods. */
  spec: PodSpec
}

/** Desired state of a pod. */
export interface PodSpec {
  /**
   * Volumes that containers mount.
   * @listType map key=name
   * @patchStrategy merge,retainKeys key=name
   */
  volumes?: Volume[]
  /**
   * Containers that run one after the other before the others start.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  initContainers?: Container[]
  /**
   * Containers of the pod.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  containers: Container[]
  /**
   * Containers added for debugging.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  ephemeralContainers?: EphemeralContainer[]
  /**
   * Always, OnFailure or Never.
   * @default Always
   */
  restartPolicy?: 'Always' | 'OnFailure' | 'Never'
  /**
   * Seconds between being told to stop and being killed.
   * @default 30
   */
  terminationGracePeriodSeconds?: Int64
  /** Seconds after which the pod is ended as failed. */
  activeDeadlineSeconds?: Int64
  /**
   * How names are resolved.
   * @default ClusterFirst
   */
  dnsPolicy?: string
  /**
   * Labels that the node must have.
   * @mapType atomic
   */
  nodeSelector?: Record<string, string>
  /** Identity of the pod. */
  serviceAccountName?: string
  /** Deprecated alias of serviceAccountName. */
  serviceAccount?: string
  /** Whether an API token is mounted. */
  automountServiceAccountToken?: boolean
  /** Node that the pod is bound to. */
  nodeName?: string
  /** Uses the node's network. */
  hostNetwork?: boolean
  /** Uses the node's process ids. */
  hostPID?: boolean
  /** Uses the node's IPC. */
  hostIPC?: boolean
  /** Shares process ids between the containers. */
  shareProcessNamespace?: boolean
  /**
   * Privileges of all containers.
   * @default {}
   */
  securityContext?: PodSecurityContext
  /**
   * Registry credentials.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  imagePullSecrets?: LocalObjectReference[]
  /** Host name of the pod. */
  hostname?: string
  /** Replaces the host name inside the pod, whatever it is otherwise. */
  hostnameOverride?: string
  /** Subdomain of the pod. */
  subdomain?: string
  /** Rules about where the pod goes. */
  affinity?: Affinity
  /**
   * Name of the scheduler that places the pod.
   * @default default-scheduler
   */
  schedulerName?: string
  /**
   * Taints that the pod bears.
   * @listType atomic
   */
  tolerations?: Toleration[]
  /**
   * Lines for /etc/hosts.
   * @listType map key=ip
   * @patchStrategy merge key=ip
   */
  hostAliases?: HostAlias[]
  /** Name of the priority class. */
  priorityClassName?: string
  /** Priority, from the class. */
  priority?: Int32
  /** Settings for name resolution. */
  dnsConfig?: PodDNSConfig
  /**
   * Further conditions that must be True before the pod is ready.
   * @listType atomic
   */
  readinessGates?: PodReadinessGate[]
  /** Which container runtime runs it. */
  runtimeClassName?: string
  /**
   * Puts services into the environment. True for pods that do not say; templates are left as they
   * are.
   */
  enableServiceLinks?: boolean
  /** PreemptLowerPriority or Never. */
  preemptionPolicy?: string
  /** Resources that the pod needs besides those of its containers. */
  overhead?: Record<string, Quantity>
  /**
   * Spreads pods over nodes.
   * @listType map key=topologyKey,whenUnsatisfiable
   * @patchStrategy merge key=topologyKey
   */
  topologySpreadConstraints?: TopologySpreadConstraint[]
  /** Uses the full name as host name. */
  setHostnameAsFQDN?: boolean
  /** Operating system of the pod. */
  os?: PodOS
  /** Runs in a user namespace unless true. */
  hostUsers?: boolean
  /**
   * Conditions that must go before the pod is placed.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  schedulingGates?: PodSchedulingGate[]
  /**
   * Claims on devices.
   * @listType map key=name
   * @patchStrategy merge,retainKeys key=name
   */
  resourceClaims?: PodResourceClaim[]
  /** Resources of the pod as a whole. */
  resources?: ResourceRequirements
}

/** A line of /etc/hosts. */
export interface HostAlias {
  /** Address. */
  ip: string
  /**
   * Names for the address.
   * @listType atomic
   */
  hostnames?: string[]
}

/** Settings for name resolution. */
export interface PodDNSConfig {
  /**
   * Name servers.
   * @listType atomic
   */
  nameservers?: string[]
  /**
   * Search domains.
   * @listType atomic
   */
  searches?: string[]
  /**
   * Options of the resolver.
   * @listType atomic
   */
  options?: PodDNSConfigOption[]
}

/** An option of the resolver. */
export interface PodDNSConfigOption {
  /** Name of the option. */
  name?: string
  /** Value of the option. */
  value?: string
}

/** A further condition that must be True before the pod is ready. */
export interface PodReadinessGate {
  /** Type of the condition. */
  conditionType: string
}

/** Operating system of a pod. */
export interface PodOS {
  /** linux or windows. */
  name: string
}

/** A condition that must go before the pod is placed. */
export interface PodSchedulingGate {
  /** Name of the condition. */
  name: string
}

/** A claim on devices. */
export interface PodResourceClaim {
  /** Name, unique within the pod. */
  name: string
  /** An existing ResourceClaim. */
  resourceClaimName?: string
  /** A template to make one from. */
  resourceClaimTemplateName?: string
}

/** Where a pod stands in its life. */
export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'

/** Observed state of a pod. */
export interface PodStatus {
  /** The generation of the spec that this is about. */
  observedGeneration?: Int64
  /** Where the pod stands in its life. */
  phase?: PodPhase
  /**
   * The state of the pod, by aspect.
   * @listType map key=type
   * @patchStrategy merge key=type
   */
  conditions?: PodCondition[]
  /** Why, in a sentence. */
  message?: string
  /** Why, in one word: Evicted. */
  reason?: string
  /** Node that will be freed for the pod. */
  nominatedNodeName?: string
  /** Address of the node. */
  hostIP?: string
  /**
   * Addresses of the node.
   * @listType atomic
   * @patchStrategy merge key=ip
   */
  hostIPs?: HostIP[]
  /** Address of the pod. */
  podIP?: string
  /**
   * Addresses of the pod.
   * @listType map key=ip
   * @patchStrategy merge key=ip
   */
  podIPs?: PodIP[]
  /** When the node saw the pod. */
  startTime?: Time
  /**
   * Init containers.
   * @listType atomic
   */
  initContainerStatuses?: ContainerStatus[]
  /**
   * Containers.
   * @listType atomic
   */
  containerStatuses?: ContainerStatus[]
  /** Guaranteed, Burstable or BestEffort. */
  qosClass?: string
  /**
   * Containers added for debugging.
   * @listType atomic
   */
  ephemeralContainerStatuses?: ContainerStatus[]
  /** Progress of a resize in place. */
  resize?: string
  /**
   * Claims on devices.
   * @listType map key=name
   * @patchStrategy merge,retainKeys key=name
   */
  resourceClaimStatuses?: PodResourceClaimStatus[]
  /** Resources set aside for the pod. */
  allocatedResources?: Record<string, Quantity>
  /** Resources in force for the pod. */
  resources?: ResourceRequirements
}

/** One aspect of the state of a pod. */
export interface PodCondition {
  /** Name of the aspect: PodScheduled, Initialized, ContainersReady, Ready, DisruptionTarget. */
  type: string
  /** The generation of the spec that this is about. */
  observedGeneration?: Int64
  /** True, False or Unknown. */
  status: 'True' | 'False' | 'Unknown'
  /** When it was last checked. */
  lastProbeTime?: Time | null
  /** When the status last changed. */
  lastTransitionTime?: Time | null
  /** Why, in one word. */
  reason?: string
  /** Why, in a sentence. */
  message?: string
}

/** An address of a node. */
export interface HostIP {
  /** The address. */
  ip: string
}

/** An address of a pod. */
export interface PodIP {
  /** The address. */
  ip: string
}

/** A claim on devices. */
export interface PodResourceClaimStatus {
  /** Name of the claim in the pod. */
  name: string
  /** The ResourceClaim that was made. */
  resourceClaimName?: string
}
