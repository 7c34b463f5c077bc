import type { Int32, Int64, IntOrString, Quantity, Time } from '#api/scalars.ts'
import type { Capabilities, SeccompProfile, SELinuxOptions, AppArmorProfile, WindowsSecurityContextOptions } from './security-context.ts'

/** Container of a pod, with its image, environment, mounts and probes. */
export interface Container {
  /** Name of the container, unique within the pod. */
  name: string
  /** Image reference. */
  image?: string
  /**
   * Command that replaces the entry point of the image.
   * @listType atomic
   */
  command?: string[]
  /**
   * Arguments of the entry point.
   * @listType atomic
   */
  args?: string[]
  /** Working directory of the container. */
  workingDir?: string
  /**
   * Ports that the container listens on; informative.
   * @listType map key=containerPort,protocol
   * @patchStrategy merge key=containerPort
   */
  ports?: ContainerPort[]
  /**
   * Sources of groups of environment variables. A later source takes precedence over an earlier
   * source.
   * @listType atomic
   */
  envFrom?: EnvFromSource[]
  /**
   * Environment variables.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  env?: EnvVar[]
  /** Compute resources: requests and limits. */
  resources?: ResourceRequirements
  /**
   * Actions when resources of the container are resized in place.
   * @listType atomic
   */
  resizePolicy?: ContainerResizePolicy[]
  /** Restart policy of an init container. Always makes the container a sidecar. */
  restartPolicy?: string
  /**
   * Rules for restarts by exit code.
   * @listType atomic
   */
  restartPolicyRules?: ContainerRestartRule[]
  /**
   * Volumes of the pod to mount into the container.
   * @listType map key=mountPath
   * @patchStrategy merge key=mountPath
   */
  volumeMounts?: VolumeMount[]
  /**
   * Raw block volumes of the pod, as devices of the container.
   * @listType map key=devicePath
   * @patchStrategy merge key=devicePath
   */
  volumeDevices?: VolumeDevice[]
  /** Liveness probe. The container is restarted when the probe fails. */
  livenessProbe?: Probe
  /** Readiness probe. The pod is removed from the endpoints of Services when the probe fails. */
  readinessProbe?: Probe
  /** Startup probe. The other probes start after the startup probe has succeeded once. */
  startupProbe?: Probe
  /** Hooks after the start and before the stop of the container. */
  lifecycle?: Lifecycle
  /**
   * Path of the file whose content becomes the termination message.
   * @default /dev/termination-log
   */
  terminationMessagePath?: string
  /**
   * Source of the termination message.
   * @default File
   */
  terminationMessagePolicy?: string
  /** Image pull policy: Always, Never or IfNotPresent. */
  imagePullPolicy?: string
  /** Security context of the container. */
  securityContext?: SecurityContext
  /** True if standard input is kept open. */
  stdin?: boolean
  /** True if standard input is closed after the first attach. */
  stdinOnce?: boolean
  /** True if a terminal is allocated. */
  tty?: boolean
}

/** A container that is added to a running pod for debugging. */
export interface EphemeralContainer extends Container {
  /** Name of the container whose processes are visible to the ephemeral container. */
  targetContainerName?: string
}

/** A port of a container. */
export interface ContainerPort {
  /** Name of the port, which Services can refer to. */
  name?: string
  /** Port number on the node. */
  hostPort?: Int32
  /** Port number in the pod. */
  containerPort: Int32
  /**
   * Protocol of the port: TCP, UDP or SCTP.
   * @default TCP
   */
  protocol?: string
  /** IP address of the node that the host port is bound to. */
  hostIP?: string
}

/** Source of a group of environment variables. */
export interface EnvFromSource {
  /** Prefix of the names of the variables. */
  prefix?: string
  /** Environment variables from all keys of a ConfigMap. */
  configMapRef?: ConfigMapEnvSource
  /** Environment variables from all keys of a Secret. */
  secretRef?: SecretEnvSource
}

/** Environment variables from all keys of a ConfigMap. */
export interface ConfigMapEnvSource {
  /** Name of the ConfigMap. */
  name?: string
  /** True if the ConfigMap may be missing. */
  optional?: boolean
}

/** Environment variables from all keys of a Secret. */
export interface SecretEnvSource {
  /** Name of the Secret. */
  name?: string
  /** True if the Secret may be missing. */
  optional?: boolean
}

/** An environment variable. */
export interface EnvVar {
  /** Name of the variable. */
  name: string
  /** Value of the variable. `$(OTHER)` is replaced by the value of the variable OTHER. */
  value?: string
  /** Source of the value. */
  valueFrom?: EnvVarSource
}

/** Source of the value of an environment variable. */
export interface EnvVarSource {
  /** Field of the pod. */
  fieldRef?: ObjectFieldSelector
  /** Resource of a container. */
  resourceFieldRef?: ResourceFieldSelector
  /** Key of a ConfigMap. */
  configMapKeyRef?: ConfigMapKeySelector
  /** Key of a Secret. */
  secretKeyRef?: SecretKeySelector
  /** Key of an environment file in a volume. */
  fileKeyRef?: FileKeySelector
}

/**
 * Selector of a field of the pod.
 * @mapType atomic
 */
export interface ObjectFieldSelector {
  /**
   * API version of the schema that the path refers to.
   * @default v1
   */
  apiVersion?: string
  /** Path of the field: `metadata.name`. */
  fieldPath: string
}

/**
 * Selector of a resource of a container.
 * @mapType atomic
 */
export interface ResourceFieldSelector {
  /** Name of the container. Required in volumes. */
  containerName?: string
  /** Name of the resource: `limits.memory`. */
  resource: string
  /** Unit in which the value is expressed. */
  divisor?: Quantity
}

/**
 * Selector of a key of a ConfigMap.
 * @mapType atomic
 */
export interface ConfigMapKeySelector {
  /** Name of the ConfigMap. */
  name?: string
  /** Key of the ConfigMap. */
  key: string
  /** True if the ConfigMap or the key may be missing. */
  optional?: boolean
}

/**
 * Selector of a key of a Secret.
 * @mapType atomic
 */
export interface SecretKeySelector {
  /** Name of the Secret. */
  name?: string
  /** Key of the Secret. */
  key: string
  /** True if the Secret or the key may be missing. */
  optional?: boolean
}

/**
 * Selector of a key of an environment file in a volume.
 * @mapType atomic
 */
export interface FileKeySelector {
  /** Name of the volume with the file. */
  volumeName: string
  /** Path of the file within the volume. */
  path: string
  /** Key in the file. */
  key: string
  /** True if the file or the key may be missing. */
  optional?: boolean
}

/** Requests and limits of compute resources. */
export interface ResourceRequirements {
  /** Maximum amount of each resource that may be used. */
  limits?: Record<string, Quantity>
  /** Requested amount of each resource. */
  requests?: Record<string, Quantity>
  /**
   * Claims of the pod for devices that the container uses.
   * @listType map key=name
   */
  claims?: ResourceClaim[]
}

/** Claim of the pod for devices that a container uses. */
export interface ResourceClaim {
  /** Name of the claim in the pod. */
  name: string
  /** Name of the request within the claim. */
  request?: string
}

/** Action when one resource of a container is resized in place. */
export interface ContainerResizePolicy {
  /** Name of the resource. */
  resourceName: string
  /** Restart policy of the resize: NotRequired or RestartContainer. */
  restartPolicy: string
}

/** Rule for restarts by exit code. */
export interface ContainerRestartRule {
  /** Action when the rule matches. */
  action: string
  /** Exit codes that the rule matches. */
  exitCodes?: ContainerRestartRuleOnExitCodes
}

/** Exit codes that a restart rule matches. */
export interface ContainerRestartRuleOnExitCodes {
  /** Comparison operator: In or NotIn. */
  operator: string
  /**
   * Exit codes to compare with.
   * @listType set
   */
  values?: Int32[]
}

/** Mount of a volume in a container. */
export interface VolumeMount {
  /** Name of the volume of the pod. */
  name: string
  /** True if the volume is mounted read-only. */
  readOnly?: boolean
  /** Policy for making submounts read-only. */
  recursiveReadOnly?: string
  /** Path in the container at which the volume is mounted. */
  mountPath: string
  /** Path within the volume to mount. */
  subPath?: string
  /** Mode of mount propagation between host and container. */
  mountPropagation?: string
  /** Path within the volume to mount, with references to environment variables. */
  subPathExpr?: string
}

/** Raw block volume of a container. */
export interface VolumeDevice {
  /** Name of the volume of the pod. */
  name: string
  /** Path of the device in the container. */
  devicePath: string
}

/** Health check of a container. */
export interface Probe {
  /** Check by a command in the container. */
  exec?: ExecAction
  /** Check by an HTTP GET request. */
  httpGet?: HTTPGetAction
  /** Check by a TCP connection. */
  tcpSocket?: TCPSocketAction
  /** Check by the gRPC health protocol. */
  grpc?: GRPCAction
  /** Seconds between the start of the container and the first probe. */
  initialDelaySeconds?: Int32
  /**
   * Seconds after which a probe times out.
   * @default 1
   */
  timeoutSeconds?: Int32
  /**
   * Seconds between two probes.
   * @default 10
   */
  periodSeconds?: Int32
  /**
   * Number of consecutive successes after which the container is healthy.
   * @default 1
   */
  successThreshold?: Int32
  /**
   * Number of consecutive failures after which the container is unhealthy.
   * @default 3
   */
  failureThreshold?: Int32
  /** Grace period in seconds for a container that is stopped because the probe failed. */
  terminationGracePeriodSeconds?: Int64
}

/** Command in a container. */
export interface ExecAction {
  /**
   * Program and arguments. The program is not run in a shell.
   * @listType atomic
   */
  command?: string[]
}

/** HTTP GET request. */
export interface HTTPGetAction {
  /**
   * Path of the URL.
   * @default /
   */
  path?: string
  /** Number or name of the port. */
  port: IntOrString
  /** Host to connect to; the IP address of the pod when absent. */
  host?: string
  /**
   * Scheme of the URL: HTTP or HTTPS.
   * @default HTTP
   */
  scheme?: string
  /**
   * Additional headers of the request.
   * @listType atomic
   */
  httpHeaders?: HTTPHeader[]
}

/** Header of an HTTP request. */
export interface HTTPHeader {
  /** Name of the header. */
  name: string
  /** Value of the header. */
  value: string
}

/** TCP connection. */
export interface TCPSocketAction {
  /** Number or name of the port. */
  port: IntOrString
  /** Host to connect to; the IP address of the pod when absent. */
  host?: string
}

/** gRPC health check. */
export interface GRPCAction {
  /** Port number. */
  port: Int32
  /**
   * Name of the service in the health check request.
   * @default ""
   */
  service?: string
}

/** Hooks of a container. */
export interface Lifecycle {
  /** Hook that runs right after the start of the container. */
  postStart?: LifecycleHandler
  /** Hook that runs before the container receives the stop signal. */
  preStop?: LifecycleHandler
  /** Signal that stops the container. */
  stopSignal?: string
}

/** Action of a hook. */
export interface LifecycleHandler {
  /** Command in the container. */
  exec?: ExecAction
  /** HTTP GET request. */
  httpGet?: HTTPGetAction
  /** TCP connection. Deprecated; kept for compatibility. */
  tcpSocket?: TCPSocketAction
  /** Sleep for a number of seconds. */
  sleep?: SleepAction
}

/** Sleep for a number of seconds. */
export interface SleepAction {
  /** Number of seconds to sleep. */
  seconds: Int64
}

/** Security context of a container. */
export interface SecurityContext {
  /** Linux capabilities to add and drop. */
  capabilities?: Capabilities
  /** True if the container runs in privileged mode, as root on the host. */
  privileged?: boolean
  /** SELinux label of the container. */
  seLinuxOptions?: SELinuxOptions
  /** Options for Windows containers only. */
  windowsOptions?: WindowsSecurityContextOptions
  /** User ID that the container runs as. */
  runAsUser?: Int64
  /** Group ID that the container runs as. */
  runAsGroup?: Int64
  /** True if the container must not run as root. */
  runAsNonRoot?: boolean
  /** True if the root file system of the container is read-only. */
  readOnlyRootFilesystem?: boolean
  /** True if a process may gain more privileges. */
  allowPrivilegeEscalation?: boolean
  /** Type of the mount of /proc. */
  procMount?: string
  /** Seccomp profile. */
  seccompProfile?: SeccompProfile
  /** AppArmor profile. */
  appArmorProfile?: AppArmorProfile
}

/** Observed state of a container. */
export interface ContainerStatus {
  /** Name of the container. */
  name: string
  /** Current state of the container. */
  state?: ContainerState
  /** State of the container at the end of the previous run. */
  lastState?: ContainerState
  /**
   * True if the container passes its readiness probe.
   * @default false
   */
  ready: boolean
  /**
   * Number of restarts of the container.
   * @default 0
   */
  restartCount: Int32
  /** Image that the container runs. */
  image: string
  /** ID of the exact image that the container runs. */
  imageID: string
  /** ID of the current run of the container: `steadyvm://…`. */
  containerID?: string
  /** True if the container has passed its startup probe. */
  started?: boolean
  /** Resources allocated to the container by the node. */
  allocatedResources?: Record<string, Quantity>
  /** Resources in effect for the container. */
  resources?: ResourceRequirements
  /**
   * Volume mounts in effect.
   * @listType map key=mountPath
   * @patchStrategy merge key=mountPath
   */
  volumeMounts?: VolumeMountStatus[]
  /** User that the container runs as. */
  user?: ContainerUser
  /**
   * Health of the devices of the container.
   * @listType map key=name
   * @patchStrategy merge key=name
   */
  allocatedResourcesStatus?: ResourceStatus[]
  /** Signal that stops the container. */
  stopSignal?: string
}

/** State of a container; exactly one member is set. */
export interface ContainerState {
  /** Details of a container that has not started. */
  waiting?: ContainerStateWaiting
  /** Details of a running container. */
  running?: ContainerStateRunning
  /** Details of a terminated container. */
  terminated?: ContainerStateTerminated
}

/** State of a container that has not started. */
export interface ContainerStateWaiting {
  /** Reason of the wait, as one CamelCase word. */
  reason?: string
  /** Human-readable explanation of the wait. */
  message?: string
}

/** State of a running container. */
export interface ContainerStateRunning {
  /** Start time of the container. */
  startedAt?: Time | null
}

/** State of a terminated container. */
export interface ContainerStateTerminated {
  /**
   * Exit code of the container.
   * @default 0
   */
  exitCode: Int32
  /** Number of the signal that terminated the container. */
  signal?: Int32
  /** Reason of the termination, as one CamelCase word. */
  reason?: string
  /** Human-readable explanation of the termination. */
  message?: string
  /** Start time of the container. */
  startedAt?: Time | null
  /** End time of the container. */
  finishedAt?: Time | null
  /** ID of the run of the container. */
  containerID?: string
}

/** Volume mount in effect. */
export interface VolumeMountStatus {
  /** Name of the volume of the pod. */
  name: string
  /** Path in the container at which the volume is mounted. */
  mountPath: string
  /** True if the mount is read-only. */
  readOnly?: boolean
  /** Policy in effect for making submounts read-only. */
  recursiveReadOnly?: string
}

/** User that a container runs as. */
export interface ContainerUser {
  /** User on Linux. */
  linux?: LinuxContainerUser
}

/** User of a container on Linux. */
export interface LinuxContainerUser {
  /** User ID. */
  uid: Int64
  /** Group ID. */
  gid: Int64
  /**
   * Supplemental group IDs.
   * @listType atomic
   */
  supplementalGroups?: Int64[]
}

/** Health of one kind of device of a container. */
export interface ResourceStatus {
  /** Name of the resource. */
  name: string
  /**
   * Health of each device.
   * @listType map key=resourceID
   */
  resources?: ResourceHealth[]
}

/** Health of one device. */
export interface ResourceHealth {
  /** ID of the device. */
  resourceID: string
  /** Health of the device: Healthy, Unhealthy or Unknown. */
  health?: string
  /** Human-readable explanation of the health. */
  message?: string
}
