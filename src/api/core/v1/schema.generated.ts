// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { Condition, LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const NodeSelectorRequirement: StructuralSchema = {
  type: 'object',
  description: 'Requirement on a label or field of a node.',
  properties: {
    key: {
      type: 'string',
      description: 'Key of the label or name of the field.',
    },
    operator: {
      type: 'string',
      description: 'Comparison operator: In, NotIn, Exists, DoesNotExist, Gt or Lt.',
    },
    values: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Values to compare with.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['key', 'operator'],
}

export const NodeSelectorTerm: StructuralSchema = {
  type: 'object',
  description: 'Term of a selector of nodes. All requirements must match.',
  properties: {
    matchExpressions: {
      type: 'array',
      items: NodeSelectorRequirement,
      description: 'Requirements on labels of the node.',
      'x-kubernetes-list-type': 'atomic',
    },
    matchFields: {
      type: 'array',
      items: NodeSelectorRequirement,
      description: 'Requirements on fields of the node.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const NodeSelector: StructuralSchema = {
  type: 'object',
  description: 'Selector of nodes. At least one term must match.',
  properties: {
    nodeSelectorTerms: {
      type: 'array',
      items: NodeSelectorTerm,
      description: 'Terms of the selector.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['nodeSelectorTerms'],
  'x-kubernetes-map-type': 'atomic',
}

export const PreferredSchedulingTerm: StructuralSchema = {
  type: 'object',
  description: 'Weighted preference for nodes.',
  properties: {
    weight: {
      type: 'integer',
      format: 'int32',
      description: 'Weight of the preference, 1 to 100.',
    },
    preference: {
      ...NodeSelectorTerm,
      description: 'Term that preferred nodes match.',
    },
  },
  required: ['weight', 'preference'],
}

export const NodeAffinity: StructuralSchema = {
  type: 'object',
  description: 'Rules about the labels of nodes.',
  properties: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      ...NodeSelector,
      description: 'Rules that a node must satisfy when the pod is scheduled.',
    },
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: PreferredSchedulingTerm,
      description: 'Weighted rules for ranking nodes when the pod is scheduled.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const PodAffinityTerm: StructuralSchema = {
  type: 'object',
  description: 'Selector of other pods, with the topology in which nodes are near each other.',
  properties: {
    labelSelector: {
      ...LabelSelector,
      description: 'Label selector for the other pods.',
    },
    namespaces: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Namespaces of the other pods.',
      'x-kubernetes-list-type': 'atomic',
    },
    topologyKey: {
      type: 'string',
      description: 'Key of a node label. Nodes with the same value of the label are near each other.',
    },
    namespaceSelector: {
      ...LabelSelector,
      description: 'Label selector for the namespaces of the other pods.',
    },
    matchLabelKeys: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Keys of labels of the pod whose values the other pods must have.',
      'x-kubernetes-list-type': 'atomic',
    },
    mismatchLabelKeys: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Keys of labels of the pod whose values the other pods must not have.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['topologyKey'],
}

export const WeightedPodAffinityTerm: StructuralSchema = {
  type: 'object',
  description: 'Weighted pod affinity term.',
  properties: {
    weight: {
      type: 'integer',
      format: 'int32',
      description: 'Weight of the term, 1 to 100.',
    },
    podAffinityTerm: {
      ...PodAffinityTerm,
      description: 'Pod affinity term.',
    },
  },
  required: ['weight', 'podAffinityTerm'],
}

export const PodAffinity: StructuralSchema = {
  type: 'object',
  description: 'Rules for scheduling a pod near other pods.',
  properties: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: PodAffinityTerm,
      description: 'Terms that must be satisfied when the pod is scheduled.',
      'x-kubernetes-list-type': 'atomic',
    },
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: WeightedPodAffinityTerm,
      description: 'Weighted terms for ranking nodes when the pod is scheduled.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const PodAntiAffinity: StructuralSchema = {
  type: 'object',
  description: 'Rules for scheduling a pod away from other pods.',
  properties: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: PodAffinityTerm,
      description: 'Terms that must be satisfied when the pod is scheduled.',
      'x-kubernetes-list-type': 'atomic',
    },
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: WeightedPodAffinityTerm,
      description: 'Weighted terms for ranking nodes when the pod is scheduled.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const Affinity: StructuralSchema = {
  type: 'object',
  description: 'Affinity rules for scheduling a pod.',
  properties: {
    nodeAffinity: {
      ...NodeAffinity,
      description: 'Rules about the labels of nodes.',
    },
    podAffinity: {
      ...PodAffinity,
      description: 'Rules for scheduling the pod near other pods.',
    },
    podAntiAffinity: {
      ...PodAntiAffinity,
      description: 'Rules for scheduling the pod away from other pods.',
    },
  },
}

export const Toleration: StructuralSchema = {
  type: 'object',
  description: 'Toleration of taints: allows the pod on nodes with a matching taint.',
  properties: {
    key: {
      type: 'string',
      description: 'Key of the taint. An empty key with the operator Exists matches all taints.',
    },
    operator: {
      type: 'string',
      description: 'Comparison operator: Exists or Equal.',
    },
    value: {
      type: 'string',
      description: 'Value of the taint.',
    },
    effect: {
      type: 'string',
      description: 'Effect of the taint. An empty effect matches all effects.',
    },
    tolerationSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds that a NoExecute taint is tolerated.',
    },
  },
}

export const TopologySpreadConstraint: StructuralSchema = {
  type: 'object',
  description: 'Constraint for spreading pods over topology domains.',
  properties: {
    maxSkew: {
      type: 'integer',
      format: 'int32',
      description: 'Maximum difference between the numbers of pods of any two domains.',
    },
    topologyKey: {
      type: 'string',
      description: 'Key of a node label. Nodes with the same value of the label are one domain.',
    },
    whenUnsatisfiable: {
      type: 'string',
      description: 'Action if the constraint cannot be satisfied: DoNotSchedule or ScheduleAnyway.',
    },
    labelSelector: {
      ...LabelSelector,
      description: 'Label selector for the pods that are counted.',
    },
    minDomains: {
      type: 'integer',
      format: 'int32',
      description: 'Minimum number of domains.',
    },
    nodeAffinityPolicy: {
      type: 'string',
      description: 'Policy for considering the node affinity of the pod.',
    },
    nodeTaintsPolicy: {
      type: 'string',
      description: 'Policy for considering the taints of nodes.',
    },
    matchLabelKeys: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Keys of labels of the pod whose values the counted pods must have.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
}

export const ObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Reference to any object.',
  properties: {
    kind: {
      type: 'string',
      description: 'Kind of the object.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace of the object; empty for cluster-scoped objects.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
    uid: {
      type: 'string',
      description: 'UID of the object.',
    },
    apiVersion: {
      type: 'string',
      description: 'Group and version of the object.',
    },
    resourceVersion: {
      type: 'string',
      description: 'Exact resource version of the object.',
    },
    fieldPath: {
      type: 'string',
      description: 'Path of a part of the object: `spec.containers{compute}`.',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const Binding: StructuralSchema = {
  type: 'object',
  description: 'Binding of a pod to a node. The metadata contains the name of the pod.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    target: {
      ...ObjectReference,
      description: 'Reference to the node.',
    },
  },
  required: ['target'],
}

export const ConfigMap: StructuralSchema = {
  type: 'object',
  description: 'Configuration for workloads, as key/value pairs.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    immutable: {
      type: 'boolean',
      description: 'True if all further changes of the data are forbidden.',
    },
    data: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Text values by key.',
    },
    binaryData: {
      type: 'object',
      additionalProperties: {
        type: 'string',
        format: 'byte',
      },
      description: 'Binary values by key. The keys must not occur in `data`.',
    },
  },
}

export const ContainerPort: StructuralSchema = {
  type: 'object',
  description: 'A port of a container.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the port, which Services can refer to.',
    },
    hostPort: {
      type: 'integer',
      format: 'int32',
      description: 'Port number on the node.',
    },
    containerPort: {
      type: 'integer',
      format: 'int32',
      description: 'Port number in the pod.',
    },
    protocol: {
      type: 'string',
      description: 'Protocol of the port: TCP, UDP or SCTP.',
      default: 'TCP',
    },
    hostIP: {
      type: 'string',
      description: 'IP address of the node that the host port is bound to.',
    },
  },
  required: ['containerPort'],
}

export const ConfigMapEnvSource: StructuralSchema = {
  type: 'object',
  description: 'Environment variables from all keys of a ConfigMap.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the ConfigMap.',
    },
    optional: {
      type: 'boolean',
      description: 'True if the ConfigMap may be missing.',
    },
  },
}

export const SecretEnvSource: StructuralSchema = {
  type: 'object',
  description: 'Environment variables from all keys of a Secret.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the Secret.',
    },
    optional: {
      type: 'boolean',
      description: 'True if the Secret may be missing.',
    },
  },
}

export const EnvFromSource: StructuralSchema = {
  type: 'object',
  description: 'Source of a group of environment variables.',
  properties: {
    prefix: {
      type: 'string',
      description: 'Prefix of the names of the variables.',
    },
    configMapRef: {
      ...ConfigMapEnvSource,
      description: 'Environment variables from all keys of a ConfigMap.',
    },
    secretRef: {
      ...SecretEnvSource,
      description: 'Environment variables from all keys of a Secret.',
    },
  },
}

export const ObjectFieldSelector: StructuralSchema = {
  type: 'object',
  description: 'Selector of a field of the pod.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'API version of the schema that the path refers to.',
      default: 'v1',
    },
    fieldPath: {
      type: 'string',
      description: 'Path of the field: `metadata.name`.',
    },
  },
  required: ['fieldPath'],
  'x-kubernetes-map-type': 'atomic',
}

export const ResourceFieldSelector: StructuralSchema = {
  type: 'object',
  description: 'Selector of a resource of a container.',
  properties: {
    containerName: {
      type: 'string',
      description: 'Name of the container. Required in volumes.',
    },
    resource: {
      type: 'string',
      description: 'Name of the resource: `limits.memory`.',
    },
    divisor: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Unit in which the value is expressed.',
    },
  },
  required: ['resource'],
  'x-kubernetes-map-type': 'atomic',
}

export const ConfigMapKeySelector: StructuralSchema = {
  type: 'object',
  description: 'Selector of a key of a ConfigMap.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the ConfigMap.',
    },
    key: {
      type: 'string',
      description: 'Key of the ConfigMap.',
    },
    optional: {
      type: 'boolean',
      description: 'True if the ConfigMap or the key may be missing.',
    },
  },
  required: ['key'],
  'x-kubernetes-map-type': 'atomic',
}

export const SecretKeySelector: StructuralSchema = {
  type: 'object',
  description: 'Selector of a key of a Secret.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the Secret.',
    },
    key: {
      type: 'string',
      description: 'Key of the Secret.',
    },
    optional: {
      type: 'boolean',
      description: 'True if the Secret or the key may be missing.',
    },
  },
  required: ['key'],
  'x-kubernetes-map-type': 'atomic',
}

export const FileKeySelector: StructuralSchema = {
  type: 'object',
  description: 'Selector of a key of an environment file in a volume.',
  properties: {
    volumeName: {
      type: 'string',
      description: 'Name of the volume with the file.',
    },
    path: {
      type: 'string',
      description: 'Path of the file within the volume.',
    },
    key: {
      type: 'string',
      description: 'Key in the file.',
    },
    optional: {
      type: 'boolean',
      description: 'True if the file or the key may be missing.',
    },
  },
  required: ['volumeName', 'path', 'key'],
  'x-kubernetes-map-type': 'atomic',
}

export const EnvVarSource: StructuralSchema = {
  type: 'object',
  description: 'Source of the value of an environment variable.',
  properties: {
    fieldRef: {
      ...ObjectFieldSelector,
      description: 'Field of the pod.',
    },
    resourceFieldRef: {
      ...ResourceFieldSelector,
      description: 'Resource of a container.',
    },
    configMapKeyRef: {
      ...ConfigMapKeySelector,
      description: 'Key of a ConfigMap.',
    },
    secretKeyRef: {
      ...SecretKeySelector,
      description: 'Key of a Secret.',
    },
    fileKeyRef: {
      ...FileKeySelector,
      description: 'Key of an environment file in a volume.',
    },
  },
}

export const EnvVar: StructuralSchema = {
  type: 'object',
  description: 'An environment variable.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the variable.',
    },
    value: {
      type: 'string',
      description: 'Value of the variable. `$(OTHER)` is replaced by the value of the variable OTHER.',
    },
    valueFrom: {
      ...EnvVarSource,
      description: 'Source of the value.',
    },
  },
  required: ['name'],
}

export const ResourceClaim: StructuralSchema = {
  type: 'object',
  description: 'Claim of the pod for devices that a container uses.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the claim in the pod.',
    },
    request: {
      type: 'string',
      description: 'Name of the request within the claim.',
    },
  },
  required: ['name'],
}

export const ResourceRequirements: StructuralSchema = {
  type: 'object',
  description: 'Requests and limits of compute resources.',
  properties: {
    limits: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Maximum amount of each resource that may be used.',
    },
    requests: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Requested amount of each resource.',
    },
    claims: {
      type: 'array',
      items: ResourceClaim,
      description: 'Claims of the pod for devices that the container uses.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
  },
}

export const ContainerResizePolicy: StructuralSchema = {
  type: 'object',
  description: 'Action when one resource of a container is resized in place.',
  properties: {
    resourceName: {
      type: 'string',
      description: 'Name of the resource.',
    },
    restartPolicy: {
      type: 'string',
      description: 'Restart policy of the resize: NotRequired or RestartContainer.',
    },
  },
  required: ['resourceName', 'restartPolicy'],
}

export const ContainerRestartRuleOnExitCodes: StructuralSchema = {
  type: 'object',
  description: 'Exit codes that a restart rule matches.',
  properties: {
    operator: {
      type: 'string',
      description: 'Comparison operator: In or NotIn.',
    },
    values: {
      type: 'array',
      items: {
        type: 'integer',
        format: 'int32',
      },
      description: 'Exit codes to compare with.',
      'x-kubernetes-list-type': 'set',
    },
  },
  required: ['operator'],
}

export const ContainerRestartRule: StructuralSchema = {
  type: 'object',
  description: 'Rule for restarts by exit code.',
  properties: {
    action: {
      type: 'string',
      description: 'Action when the rule matches.',
    },
    exitCodes: {
      ...ContainerRestartRuleOnExitCodes,
      description: 'Exit codes that the rule matches.',
    },
  },
  required: ['action'],
}

export const VolumeMount: StructuralSchema = {
  type: 'object',
  description: 'Mount of a volume in a container.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the volume of the pod.',
    },
    readOnly: {
      type: 'boolean',
      description: 'True if the volume is mounted read-only.',
    },
    recursiveReadOnly: {
      type: 'string',
      description: 'Policy for making submounts read-only.',
    },
    mountPath: {
      type: 'string',
      description: 'Path in the container at which the volume is mounted.',
    },
    subPath: {
      type: 'string',
      description: 'Path within the volume to mount.',
    },
    mountPropagation: {
      type: 'string',
      description: 'Mode of mount propagation between host and container.',
    },
    subPathExpr: {
      type: 'string',
      description: 'Path within the volume to mount, with references to environment variables.',
    },
  },
  required: ['name', 'mountPath'],
}

export const VolumeDevice: StructuralSchema = {
  type: 'object',
  description: 'Raw block volume of a container.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the volume of the pod.',
    },
    devicePath: {
      type: 'string',
      description: 'Path of the device in the container.',
    },
  },
  required: ['name', 'devicePath'],
}

export const ExecAction: StructuralSchema = {
  type: 'object',
  description: 'Command in a container.',
  properties: {
    command: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Program and arguments. The program is not run in a shell.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const HTTPHeader: StructuralSchema = {
  type: 'object',
  description: 'Header of an HTTP request.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the header.',
    },
    value: {
      type: 'string',
      description: 'Value of the header.',
    },
  },
  required: ['name', 'value'],
}

export const HTTPGetAction: StructuralSchema = {
  type: 'object',
  description: 'HTTP GET request.',
  properties: {
    path: {
      type: 'string',
      description: 'Path of the URL.',
      default: '/',
    },
    port: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Number or name of the port.',
    },
    host: {
      type: 'string',
      description: 'Host to connect to; the IP address of the pod when absent.',
    },
    scheme: {
      type: 'string',
      description: 'Scheme of the URL: HTTP or HTTPS.',
      default: 'HTTP',
    },
    httpHeaders: {
      type: 'array',
      items: HTTPHeader,
      description: 'Additional headers of the request.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['port'],
}

export const TCPSocketAction: StructuralSchema = {
  type: 'object',
  description: 'TCP connection.',
  properties: {
    port: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Number or name of the port.',
    },
    host: {
      type: 'string',
      description: 'Host to connect to; the IP address of the pod when absent.',
    },
  },
  required: ['port'],
}

export const GRPCAction: StructuralSchema = {
  type: 'object',
  description: 'gRPC health check.',
  properties: {
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port number.',
    },
    service: {
      type: 'string',
      description: 'Name of the service in the health check request.',
      default: '',
    },
  },
  required: ['port'],
}

export const Probe: StructuralSchema = {
  type: 'object',
  description: 'Health check of a container.',
  properties: {
    exec: {
      ...ExecAction,
      description: 'Check by a command in the container.',
    },
    httpGet: {
      ...HTTPGetAction,
      description: 'Check by an HTTP GET request.',
    },
    tcpSocket: {
      ...TCPSocketAction,
      description: 'Check by a TCP connection.',
    },
    grpc: {
      ...GRPCAction,
      description: 'Check by the gRPC health protocol.',
    },
    initialDelaySeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds between the start of the container and the first probe.',
    },
    timeoutSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds after which a probe times out.',
      default: 1,
    },
    periodSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds between two probes.',
      default: 10,
    },
    successThreshold: {
      type: 'integer',
      format: 'int32',
      description: 'Number of consecutive successes after which the container is healthy.',
      default: 1,
    },
    failureThreshold: {
      type: 'integer',
      format: 'int32',
      description: 'Number of consecutive failures after which the container is unhealthy.',
      default: 3,
    },
    terminationGracePeriodSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Grace period in seconds for a container that is stopped because the probe failed.',
    },
  },
}

export const SleepAction: StructuralSchema = {
  type: 'object',
  description: 'Sleep for a number of seconds.',
  properties: {
    seconds: {
      type: 'integer',
      format: 'int64',
      description: 'Number of seconds to sleep.',
    },
  },
  required: ['seconds'],
}

export const LifecycleHandler: StructuralSchema = {
  type: 'object',
  description: 'Action of a hook.',
  properties: {
    exec: {
      ...ExecAction,
      description: 'Command in the container.',
    },
    httpGet: {
      ...HTTPGetAction,
      description: 'HTTP GET request.',
    },
    tcpSocket: {
      ...TCPSocketAction,
      description: 'TCP connection. Deprecated; kept for compatibility.',
    },
    sleep: {
      ...SleepAction,
      description: 'Sleep for a number of seconds.',
    },
  },
}

export const Lifecycle: StructuralSchema = {
  type: 'object',
  description: 'Hooks of a container.',
  properties: {
    postStart: {
      ...LifecycleHandler,
      description: 'Hook that runs right after the start of the container.',
    },
    preStop: {
      ...LifecycleHandler,
      description: 'Hook that runs before the container receives the stop signal.',
    },
    stopSignal: {
      type: 'string',
      description: 'Signal that stops the container.',
    },
  },
}

export const Capabilities: StructuralSchema = {
  type: 'object',
  description: 'Linux capabilities to add and drop.',
  properties: {
    add: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Capabilities to add.',
      'x-kubernetes-list-type': 'atomic',
    },
    drop: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Capabilities to drop.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const SELinuxOptions: StructuralSchema = {
  type: 'object',
  description: 'SELinux label.',
  properties: {
    user: {
      type: 'string',
      description: 'User part of the label.',
    },
    role: {
      type: 'string',
      description: 'Role part of the label.',
    },
    type: {
      type: 'string',
      description: 'Type part of the label.',
    },
    level: {
      type: 'string',
      description: 'Level part of the label.',
    },
  },
}

export const WindowsSecurityContextOptions: StructuralSchema = {
  type: 'object',
  description: 'Options for Windows containers.',
  properties: {
    gmsaCredentialSpecName: {
      type: 'string',
      description: 'Name of the GMSA credential spec.',
    },
    gmsaCredentialSpec: {
      type: 'string',
      description: 'Content of the GMSA credential spec.',
    },
    runAsUserName: {
      type: 'string',
      description: 'Name of the user that the container runs as.',
    },
    hostProcess: {
      type: 'boolean',
      description: 'True if the container runs as a host process.',
    },
  },
}

export const SeccompProfile: StructuralSchema = {
  type: 'object',
  description: 'Seccomp profile.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the profile: Localhost, RuntimeDefault or Unconfined.',
    },
    localhostProfile: {
      type: 'string',
      description: 'Path of the file of a Localhost profile.',
    },
  },
  required: ['type'],
}

export const AppArmorProfile: StructuralSchema = {
  type: 'object',
  description: 'AppArmor profile.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the profile: Localhost, RuntimeDefault or Unconfined.',
    },
    localhostProfile: {
      type: 'string',
      description: 'Name of a Localhost profile.',
    },
  },
  required: ['type'],
}

export const SecurityContext: StructuralSchema = {
  type: 'object',
  description: 'Security context of a container.',
  properties: {
    capabilities: {
      ...Capabilities,
      description: 'Linux capabilities to add and drop.',
    },
    privileged: {
      type: 'boolean',
      description: 'True if the container runs in privileged mode, as root on the host.',
    },
    seLinuxOptions: {
      ...SELinuxOptions,
      description: 'SELinux label of the container.',
    },
    windowsOptions: {
      ...WindowsSecurityContextOptions,
      description: 'Options for Windows containers only.',
    },
    runAsUser: {
      type: 'integer',
      format: 'int64',
      description: 'User ID that the container runs as.',
    },
    runAsGroup: {
      type: 'integer',
      format: 'int64',
      description: 'Group ID that the container runs as.',
    },
    runAsNonRoot: {
      type: 'boolean',
      description: 'True if the container must not run as root.',
    },
    readOnlyRootFilesystem: {
      type: 'boolean',
      description: 'True if the root file system of the container is read-only.',
    },
    allowPrivilegeEscalation: {
      type: 'boolean',
      description: 'True if a process may gain more privileges.',
    },
    procMount: {
      type: 'string',
      description: 'Type of the mount of /proc.',
    },
    seccompProfile: {
      ...SeccompProfile,
      description: 'Seccomp profile.',
    },
    appArmorProfile: {
      ...AppArmorProfile,
      description: 'AppArmor profile.',
    },
  },
}

export const Container: StructuralSchema = {
  type: 'object',
  description: 'Container of a pod, with its image, environment, mounts and probes.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the container, unique within the pod.',
    },
    image: {
      type: 'string',
      description: 'Image reference.',
    },
    command: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Command that replaces the entry point of the image.',
      'x-kubernetes-list-type': 'atomic',
    },
    args: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Arguments of the entry point.',
      'x-kubernetes-list-type': 'atomic',
    },
    workingDir: {
      type: 'string',
      description: 'Working directory of the container.',
    },
    ports: {
      type: 'array',
      items: ContainerPort,
      description: 'Ports that the container listens on; informative.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'containerPort',
    },
    envFrom: {
      type: 'array',
      items: EnvFromSource,
      description: 'Sources of groups of environment variables. A later source takes precedence over an earlier source.',
      'x-kubernetes-list-type': 'atomic',
    },
    env: {
      type: 'array',
      items: EnvVar,
      description: 'Environment variables.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    resources: {
      ...ResourceRequirements,
      description: 'Compute resources: requests and limits.',
    },
    resizePolicy: {
      type: 'array',
      items: ContainerResizePolicy,
      description: 'Actions when resources of the container are resized in place.',
      'x-kubernetes-list-type': 'atomic',
    },
    restartPolicy: {
      type: 'string',
      description: 'Restart policy of an init container. Always makes the container a sidecar.',
    },
    restartPolicyRules: {
      type: 'array',
      items: ContainerRestartRule,
      description: 'Rules for restarts by exit code.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumeMounts: {
      type: 'array',
      items: VolumeMount,
      description: 'Volumes of the pod to mount into the container.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['mountPath'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'mountPath',
    },
    volumeDevices: {
      type: 'array',
      items: VolumeDevice,
      description: 'Raw block volumes of the pod, as devices of the container.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['devicePath'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'devicePath',
    },
    livenessProbe: {
      ...Probe,
      description: 'Liveness probe. The container is restarted when the probe fails.',
    },
    readinessProbe: {
      ...Probe,
      description: 'Readiness probe. The pod is removed from the endpoints of Services when the probe fails.',
    },
    startupProbe: {
      ...Probe,
      description: 'Startup probe. The other probes start after the startup probe has succeeded once.',
    },
    lifecycle: {
      ...Lifecycle,
      description: 'Hooks after the start and before the stop of the container.',
    },
    terminationMessagePath: {
      type: 'string',
      description: 'Path of the file whose content becomes the termination message.',
      default: '/dev/termination-log',
    },
    terminationMessagePolicy: {
      type: 'string',
      description: 'Source of the termination message.',
      default: 'File',
    },
    imagePullPolicy: {
      type: 'string',
      description: 'Image pull policy: Always, Never or IfNotPresent.',
    },
    securityContext: {
      ...SecurityContext,
      description: 'Security context of the container.',
    },
    stdin: {
      type: 'boolean',
      description: 'True if standard input is kept open.',
    },
    stdinOnce: {
      type: 'boolean',
      description: 'True if standard input is closed after the first attach.',
    },
    tty: {
      type: 'boolean',
      description: 'True if a terminal is allocated.',
    },
  },
  required: ['name'],
}

export const EphemeralContainer: StructuralSchema = {
  type: 'object',
  description: 'A container that is added to a running pod for debugging.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the container, unique within the pod.',
    },
    image: {
      type: 'string',
      description: 'Image reference.',
    },
    command: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Command that replaces the entry point of the image.',
      'x-kubernetes-list-type': 'atomic',
    },
    args: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Arguments of the entry point.',
      'x-kubernetes-list-type': 'atomic',
    },
    workingDir: {
      type: 'string',
      description: 'Working directory of the container.',
    },
    ports: {
      type: 'array',
      items: ContainerPort,
      description: 'Ports that the container listens on; informative.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'containerPort',
    },
    envFrom: {
      type: 'array',
      items: EnvFromSource,
      description: 'Sources of groups of environment variables. A later source takes precedence over an earlier source.',
      'x-kubernetes-list-type': 'atomic',
    },
    env: {
      type: 'array',
      items: EnvVar,
      description: 'Environment variables.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    resources: {
      ...ResourceRequirements,
      description: 'Compute resources: requests and limits.',
    },
    resizePolicy: {
      type: 'array',
      items: ContainerResizePolicy,
      description: 'Actions when resources of the container are resized in place.',
      'x-kubernetes-list-type': 'atomic',
    },
    restartPolicy: {
      type: 'string',
      description: 'Restart policy of an init container. Always makes the container a sidecar.',
    },
    restartPolicyRules: {
      type: 'array',
      items: ContainerRestartRule,
      description: 'Rules for restarts by exit code.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumeMounts: {
      type: 'array',
      items: VolumeMount,
      description: 'Volumes of the pod to mount into the container.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['mountPath'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'mountPath',
    },
    volumeDevices: {
      type: 'array',
      items: VolumeDevice,
      description: 'Raw block volumes of the pod, as devices of the container.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['devicePath'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'devicePath',
    },
    livenessProbe: {
      ...Probe,
      description: 'Liveness probe. The container is restarted when the probe fails.',
    },
    readinessProbe: {
      ...Probe,
      description: 'Readiness probe. The pod is removed from the endpoints of Services when the probe fails.',
    },
    startupProbe: {
      ...Probe,
      description: 'Startup probe. The other probes start after the startup probe has succeeded once.',
    },
    lifecycle: {
      ...Lifecycle,
      description: 'Hooks after the start and before the stop of the container.',
    },
    terminationMessagePath: {
      type: 'string',
      description: 'Path of the file whose content becomes the termination message.',
      default: '/dev/termination-log',
    },
    terminationMessagePolicy: {
      type: 'string',
      description: 'Source of the termination message.',
      default: 'File',
    },
    imagePullPolicy: {
      type: 'string',
      description: 'Image pull policy: Always, Never or IfNotPresent.',
    },
    securityContext: {
      ...SecurityContext,
      description: 'Security context of the container.',
    },
    stdin: {
      type: 'boolean',
      description: 'True if standard input is kept open.',
    },
    stdinOnce: {
      type: 'boolean',
      description: 'True if standard input is closed after the first attach.',
    },
    tty: {
      type: 'boolean',
      description: 'True if a terminal is allocated.',
    },
    targetContainerName: {
      type: 'string',
      description: 'Name of the container whose processes are visible to the ephemeral container.',
    },
  },
  required: ['name'],
}

export const ContainerStateWaiting: StructuralSchema = {
  type: 'object',
  description: 'State of a container that has not started.',
  properties: {
    reason: {
      type: 'string',
      description: 'Reason of the wait, as one CamelCase word.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the wait.',
    },
  },
}

export const ContainerStateRunning: StructuralSchema = {
  type: 'object',
  description: 'State of a running container.',
  properties: {
    startedAt: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Start time of the container.',
    },
  },
}

export const ContainerStateTerminated: StructuralSchema = {
  type: 'object',
  description: 'State of a terminated container.',
  properties: {
    exitCode: {
      type: 'integer',
      format: 'int32',
      description: 'Exit code of the container.',
      default: 0,
    },
    signal: {
      type: 'integer',
      format: 'int32',
      description: 'Number of the signal that terminated the container.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the termination, as one CamelCase word.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the termination.',
    },
    startedAt: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Start time of the container.',
    },
    finishedAt: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'End time of the container.',
    },
    containerID: {
      type: 'string',
      description: 'ID of the run of the container.',
    },
  },
  required: ['exitCode'],
}

export const ContainerState: StructuralSchema = {
  type: 'object',
  description: 'State of a container; exactly one member is set.',
  properties: {
    waiting: {
      ...ContainerStateWaiting,
      description: 'Details of a container that has not started.',
    },
    running: {
      ...ContainerStateRunning,
      description: 'Details of a running container.',
    },
    terminated: {
      ...ContainerStateTerminated,
      description: 'Details of a terminated container.',
    },
  },
}

export const VolumeMountStatus: StructuralSchema = {
  type: 'object',
  description: 'Volume mount in effect.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the volume of the pod.',
    },
    mountPath: {
      type: 'string',
      description: 'Path in the container at which the volume is mounted.',
    },
    readOnly: {
      type: 'boolean',
      description: 'True if the mount is read-only.',
    },
    recursiveReadOnly: {
      type: 'string',
      description: 'Policy in effect for making submounts read-only.',
    },
  },
  required: ['name', 'mountPath'],
}

export const LinuxContainerUser: StructuralSchema = {
  type: 'object',
  description: 'User of a container on Linux.',
  properties: {
    uid: {
      type: 'integer',
      format: 'int64',
      description: 'User ID.',
    },
    gid: {
      type: 'integer',
      format: 'int64',
      description: 'Group ID.',
    },
    supplementalGroups: {
      type: 'array',
      items: {
        type: 'integer',
        format: 'int64',
      },
      description: 'Supplemental group IDs.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['uid', 'gid'],
}

export const ContainerUser: StructuralSchema = {
  type: 'object',
  description: 'User that a container runs as.',
  properties: {
    linux: {
      ...LinuxContainerUser,
      description: 'User on Linux.',
    },
  },
}

export const ResourceHealth: StructuralSchema = {
  type: 'object',
  description: 'Health of one device.',
  properties: {
    resourceID: {
      type: 'string',
      description: 'ID of the device.',
    },
    health: {
      type: 'string',
      description: 'Health of the device: Healthy, Unhealthy or Unknown.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the health.',
    },
  },
  required: ['resourceID'],
}

export const ResourceStatus: StructuralSchema = {
  type: 'object',
  description: 'Health of one kind of device of a container.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the resource.',
    },
    resources: {
      type: 'array',
      items: ResourceHealth,
      description: 'Health of each device.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['resourceID'],
    },
  },
  required: ['name'],
}

export const ContainerStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a container.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the container.',
    },
    state: {
      ...ContainerState,
      description: 'Current state of the container.',
    },
    lastState: {
      ...ContainerState,
      description: 'State of the container at the end of the previous run.',
    },
    ready: {
      type: 'boolean',
      description: 'True if the container passes its readiness probe.',
      default: false,
    },
    restartCount: {
      type: 'integer',
      format: 'int32',
      description: 'Number of restarts of the container.',
      default: 0,
    },
    image: {
      type: 'string',
      description: 'Image that the container runs.',
    },
    imageID: {
      type: 'string',
      description: 'ID of the exact image that the container runs.',
    },
    containerID: {
      type: 'string',
      description: 'ID of the current run of the container: `steadyvm://…`.',
    },
    started: {
      type: 'boolean',
      description: 'True if the container has passed its startup probe.',
    },
    allocatedResources: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Resources allocated to the container by the node.',
    },
    resources: {
      ...ResourceRequirements,
      description: 'Resources in effect for the container.',
    },
    volumeMounts: {
      type: 'array',
      items: VolumeMountStatus,
      description: 'Volume mounts in effect.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['mountPath'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'mountPath',
    },
    user: {
      ...ContainerUser,
      description: 'User that the container runs as.',
    },
    allocatedResourcesStatus: {
      type: 'array',
      items: ResourceStatus,
      description: 'Health of the devices of the container.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    stopSignal: {
      type: 'string',
      description: 'Signal that stops the container.',
    },
  },
  required: ['name', 'ready', 'restartCount', 'image', 'imageID'],
}

export const EndpointAddress: StructuralSchema = {
  type: 'object',
  description: 'Address of an endpoint.',
  properties: {
    ip: {
      type: 'string',
      description: 'IP address.',
    },
    hostname: {
      type: 'string',
      description: 'Host name of the endpoint.',
    },
    nodeName: {
      type: 'string',
      description: 'Name of the node with the address.',
    },
    targetRef: {
      ...ObjectReference,
      description: 'Reference to the object with the address.',
    },
  },
  required: ['ip'],
  'x-kubernetes-map-type': 'atomic',
}

export const EndpointPort: StructuralSchema = {
  type: 'object',
  description: 'Port of an endpoint.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the port.',
    },
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port number.',
    },
    protocol: {
      type: 'string',
      description: 'Protocol of the port: TCP, UDP or SCTP.',
      default: 'TCP',
    },
    appProtocol: {
      type: 'string',
      description: 'Application protocol, on top of the transport protocol.',
    },
  },
  required: ['port'],
  'x-kubernetes-map-type': 'atomic',
}

export const EndpointSubset: StructuralSchema = {
  type: 'object',
  description: 'Addresses with the same ports.',
  properties: {
    addresses: {
      type: 'array',
      items: EndpointAddress,
      description: 'Addresses that are ready.',
      'x-kubernetes-list-type': 'atomic',
    },
    notReadyAddresses: {
      type: 'array',
      items: EndpointAddress,
      description: 'Addresses that are not ready.',
      'x-kubernetes-list-type': 'atomic',
    },
    ports: {
      type: 'array',
      items: EndpointPort,
      description: 'Ports of the addresses.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const Endpoints: StructuralSchema = {
  type: 'object',
  description: 'Addresses of the endpoints of a Service.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    subsets: {
      type: 'array',
      items: EndpointSubset,
      description: 'Groups of addresses with the same ports.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const EventSource: StructuralSchema = {
  type: 'object',
  description: 'Component that reports an event.',
  properties: {
    component: {
      type: 'string',
      description: 'Name of the component.',
    },
    host: {
      type: 'string',
      description: 'Name of the node that the component runs on.',
    },
  },
}

export const EventSeries: StructuralSchema = {
  type: 'object',
  description: 'Series of equal events.',
  properties: {
    count: {
      type: 'integer',
      format: 'int32',
      description: 'Number of events of the series.',
    },
    lastObservedTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last event of the series.',
    },
  },
}

export const CoreEvent: StructuralSchema = {
  type: 'object',
  description: 'Report of an occurrence that concerns an object, with the reason.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    involvedObject: {
      ...ObjectReference,
      description: 'Object that the event is about.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the event, as one CamelCase word.',
    },
    message: {
      type: 'string',
      description: 'Description of the event.',
    },
    source: {
      ...EventSource,
      description: 'Component that reports the event.',
    },
    firstTimestamp: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the first occurrence.',
    },
    lastTimestamp: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last occurrence.',
    },
    count: {
      type: 'integer',
      format: 'int32',
      description: 'Number of occurrences.',
    },
    type: {
      type: 'string',
      description: 'Type of the event: Normal or Warning.',
    },
    eventTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the first occurrence, with microsecond precision.',
    },
    series: {
      ...EventSeries,
      description: 'Series that the event is part of.',
    },
    action: {
      type: 'string',
      description: 'Action that was taken regarding the object.',
    },
    related: {
      ...ObjectReference,
      description: 'Second object that is involved.',
    },
    reportingComponent: {
      type: 'string',
      description: 'Name of the controller that reports the event: `steadyvm.io/virt-controller`.',
    },
    reportingInstance: {
      type: 'string',
      description: 'Name of the controller instance that reports the event.',
    },
  },
  required: ['involvedObject'],
}

export const LimitRangeItem: StructuralSchema = {
  type: 'object',
  description: 'Limits for one type of object.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the object: Container, Pod or PersistentVolumeClaim.',
    },
    max: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Maximum amount of each resource.',
    },
    min: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Minimum amount of each resource.',
    },
    default: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Default limits of containers without limits.',
    },
    defaultRequest: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Default requests of containers without requests.',
    },
    maxLimitRequestRatio: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Maximum ratio of limit to request, by resource.',
    },
  },
  required: ['type'],
}

export const LimitRangeSpec: StructuralSchema = {
  type: 'object',
  description: 'Limits of a namespace.',
  properties: {
    limits: {
      type: 'array',
      items: LimitRangeItem,
      description: 'Limits by type of object.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['limits'],
}

export const LimitRange: StructuralSchema = {
  type: 'object',
  description: 'Limits and defaults for the resources that single objects of a namespace may request.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    spec: {
      ...LimitRangeSpec,
      description: 'Limits of the namespace.',
    },
  },
}

export const NamespaceSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a namespace.',
  properties: {
    finalizers: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Finalizers that block the removal of the namespace.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const NamespaceCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a namespace.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last transition of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the last transition, as one CamelCase word.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the last transition.',
    },
  },
  required: ['type', 'status'],
}

export const NamespaceStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a namespace.',
  properties: {
    phase: {
      type: 'string',
      enum: ['Active', 'Terminating'],
      description: 'Phase of the namespace: Active, or Terminating while the content is being removed.',
    },
    conditions: {
      type: 'array',
      items: NamespaceCondition,
      description: 'Conditions of the namespace: reasons for not removing the namespace yet.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
  },
}

export const Namespace: StructuralSchema = {
  type: 'object',
  description: 'Scope of the names of objects. Deleting a namespace deletes all objects in the namespace.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    spec: {
      ...NamespaceSpec,
      description: 'Desired state of the namespace.',
    },
    status: {
      ...NamespaceStatus,
      description: 'Observed state of the namespace.',
    },
  },
}

export const Taint: StructuralSchema = {
  type: 'object',
  description: 'Taint of a node that excludes pods without a matching toleration.',
  properties: {
    key: {
      type: 'string',
      description: 'Key of the taint.',
    },
    value: {
      type: 'string',
      description: 'Value of the taint.',
    },
    effect: {
      type: 'string',
      enum: ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
      description: 'Effect on pods without a matching toleration: NoSchedule, PreferNoSchedule or NoExecute.',
    },
    timeAdded: {
      type: 'string',
      format: 'date-time',
      description: 'Time when a NoExecute taint was added.',
    },
  },
  required: ['key', 'effect'],
}

export const NodeSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a node.',
  properties: {
    podCIDR: {
      type: 'string',
      description: 'Range of IP addresses for pods on the node.',
    },
    podCIDRs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Ranges of IP addresses for pods on the node, one per IP family.',
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    },
    providerID: {
      type: 'string',
      description: 'ID of the node at the infrastructure provider.',
    },
    unschedulable: {
      type: 'boolean',
      description: 'True if no new pods are scheduled to the node.',
    },
    taints: {
      type: 'array',
      items: Taint,
      description: 'Taints that exclude pods without a matching toleration.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const NodeCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a node.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition: Ready, MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable.',
    },
    status: {
      type: 'string',
      enum: ['True', 'False', 'Unknown'],
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastHeartbeatTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last check of the condition.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last transition of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the last transition, as one CamelCase word.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the last transition.',
    },
  },
  required: ['type', 'status'],
}

export const NodeAddress: StructuralSchema = {
  type: 'object',
  description: 'Address of a node.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the address: Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.',
    },
    address: {
      type: 'string',
      description: 'IP address or host name.',
    },
  },
  required: ['type', 'address'],
}

export const DaemonEndpoint: StructuralSchema = {
  type: 'object',
  description: 'Endpoint of a daemon.',
  properties: {
    Port: {
      type: 'integer',
      format: 'int32',
      description: 'Port number.',
    },
  },
  required: ['Port'],
}

export const NodeDaemonEndpoints: StructuralSchema = {
  type: 'object',
  description: 'Ports of the daemons on a node.',
  properties: {
    kubeletEndpoint: {
      ...DaemonEndpoint,
      description: 'Endpoint of the kubelet.',
    },
  },
}

export const NodeSwapStatus: StructuralSchema = {
  type: 'object',
  description: 'Swap of a node.',
  properties: {
    capacity: {
      type: 'integer',
      format: 'int64',
      description: 'Amount of swap in bytes.',
    },
  },
}

export const NodeSystemInfo: StructuralSchema = {
  type: 'object',
  description: 'System information of a node.',
  properties: {
    machineID: {
      type: 'string',
      description: 'ID of the machine, unique within the cluster.',
    },
    systemUUID: {
      type: 'string',
      description: 'UUID of the machine, from the firmware.',
    },
    bootID: {
      type: 'string',
      description: 'ID of the boot; changes with every boot.',
    },
    kernelVersion: {
      type: 'string',
      description: 'Version of the kernel.',
    },
    osImage: {
      type: 'string',
      description: 'Name of the operating system release.',
    },
    containerRuntimeVersion: {
      type: 'string',
      description: 'Version of the container runtime.',
    },
    kubeletVersion: {
      type: 'string',
      description: 'Version of the kubelet.',
    },
    kubeProxyVersion: {
      type: 'string',
      description: 'Version of the service proxy; deprecated.',
    },
    operatingSystem: {
      type: 'string',
      description: 'Operating system: `linux`.',
    },
    architecture: {
      type: 'string',
      description: 'Processor architecture: `amd64`, `arm64`.',
    },
    swap: {
      ...NodeSwapStatus,
      description: 'Swap of the node.',
    },
  },
  required: ['machineID', 'systemUUID', 'bootID', 'kernelVersion', 'osImage', 'containerRuntimeVersion', 'kubeletVersion', 'kubeProxyVersion', 'operatingSystem', 'architecture'],
}

export const ContainerImage: StructuralSchema = {
  type: 'object',
  description: 'Image on a node.',
  properties: {
    names: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Names of the image.',
      'x-kubernetes-list-type': 'atomic',
    },
    sizeBytes: {
      type: 'integer',
      format: 'int64',
      description: 'Size of the image in bytes.',
    },
  },
}

export const AttachedVolume: StructuralSchema = {
  type: 'object',
  description: 'Volume that is attached to a node.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the volume.',
    },
    devicePath: {
      type: 'string',
      description: 'Device path on the node.',
    },
  },
  required: ['name', 'devicePath'],
}

export const NodeConfigSource: StructuralSchema = {
  type: 'object',
  description: 'Source of the configuration of a kubelet.',
  properties: {
    configMap: {
      ...ObjectReference,
      description: 'ConfigMap with the configuration.',
    },
  },
}

export const NodeConfigStatus: StructuralSchema = {
  type: 'object',
  description: 'Status of the configuration of a kubelet.',
  properties: {
    assigned: {
      ...NodeConfigSource,
      description: 'Assigned configuration.',
    },
    active: {
      ...NodeConfigSource,
      description: 'Active configuration.',
    },
    lastKnownGood: {
      ...NodeConfigSource,
      description: 'Fallback configuration.',
    },
    error: {
      type: 'string',
      description: 'Error of the assigned configuration.',
    },
  },
}

export const NodeRuntimeHandlerFeatures: StructuralSchema = {
  type: 'object',
  description: 'Features of a container runtime.',
  properties: {
    recursiveReadOnlyMounts: {
      type: 'boolean',
      description: 'True if recursive read-only mounts are supported.',
    },
    userNamespaces: {
      type: 'boolean',
      description: 'True if user namespaces are supported.',
    },
  },
}

export const NodeRuntimeHandler: StructuralSchema = {
  type: 'object',
  description: 'Features of one container runtime.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the runtime; empty for the default runtime.',
    },
    features: {
      ...NodeRuntimeHandlerFeatures,
      description: 'Supported features.',
    },
  },
}

export const NodeFeatures: StructuralSchema = {
  type: 'object',
  description: 'Features of the software of a node.',
  properties: {
    supplementalGroupsPolicy: {
      type: 'boolean',
      description: 'True if supplemental groups policies are supported.',
    },
  },
}

export const NodeStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a node.',
  properties: {
    capacity: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Resources of the machine.',
    },
    allocatable: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Resources available to pods.',
    },
    phase: {
      type: 'string',
      description: 'Phase of the node. Deprecated and unused.',
    },
    conditions: {
      type: 'array',
      items: NodeCondition,
      description: 'Conditions of the node.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
    addresses: {
      type: 'array',
      items: NodeAddress,
      description: 'Addresses of the node.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
    daemonEndpoints: {
      ...NodeDaemonEndpoints,
      description: 'Ports of the daemons on the node.',
    },
    nodeInfo: {
      ...NodeSystemInfo,
      description: 'System information of the node.',
    },
    images: {
      type: 'array',
      items: ContainerImage,
      description: 'Images on the node.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumesInUse: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Names of the attachable volumes in use.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumesAttached: {
      type: 'array',
      items: AttachedVolume,
      description: 'Volumes that are attached to the node.',
      'x-kubernetes-list-type': 'atomic',
    },
    config: {
      ...NodeConfigStatus,
      description: 'Status of the kubelet configuration, when the configuration is managed.',
    },
    runtimeHandlers: {
      type: 'array',
      items: NodeRuntimeHandler,
      description: 'Container runtimes of the node and their features.',
      'x-kubernetes-list-type': 'atomic',
    },
    features: {
      ...NodeFeatures,
      description: 'Features of the software of the node.',
    },
    declaredFeatures: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Names of features that pods may require.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const Node: StructuralSchema = {
  type: 'object',
  description: 'Machine, or one of several logical nodes on a machine, that runs pods.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    spec: {
      ...NodeSpec,
      description: 'Desired state of the node.',
    },
    status: {
      ...NodeStatus,
      description: 'Observed state of the node.',
    },
  },
}

export const VolumeResourceRequirements: StructuralSchema = {
  type: 'object',
  description: 'Amount of storage.',
  properties: {
    limits: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Maximum amount of storage.',
    },
    requests: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Minimum amount of storage.',
    },
  },
}

export const TypedLocalObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Reference to an object of one of several kinds in the same namespace.',
  properties: {
    apiGroup: {
      type: 'string',
      description: 'API group of the object; absent for the core group.',
    },
    kind: {
      type: 'string',
      description: 'Kind of the object.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
  },
  required: ['kind', 'name'],
  'x-kubernetes-map-type': 'atomic',
}

export const TypedObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Reference to an object of one of several kinds, possibly in another namespace.',
  properties: {
    apiGroup: {
      type: 'string',
      description: 'API group of the object; absent for the core group.',
    },
    kind: {
      type: 'string',
      description: 'Kind of the object.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace of the object, if the object is in another namespace.',
    },
  },
  required: ['kind', 'name'],
}

export const PersistentVolumeClaimSpec: StructuralSchema = {
  type: 'object',
  description: 'Requested storage.',
  properties: {
    accessModes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Requested access modes: ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod.',
      'x-kubernetes-list-type': 'atomic',
    },
    selector: {
      ...LabelSelector,
      description: 'Label selector for the volumes that the claim can be bound to.',
    },
    resources: {
      ...VolumeResourceRequirements,
      description: 'Requested amount of storage.',
    },
    volumeName: {
      type: 'string',
      description: 'Name of the volume that the claim is bound to.',
    },
    storageClassName: {
      type: 'string',
      description: 'Name of the storage class.',
    },
    volumeMode: {
      type: 'string',
      description: 'Volume mode: Filesystem or Block.',
      default: 'Filesystem',
    },
    dataSource: {
      ...TypedLocalObjectReference,
      description: 'Source of the content of the volume.',
    },
    dataSourceRef: {
      ...TypedObjectReference,
      description: 'Source of the content of the volume, of any kind and namespace.',
    },
    volumeAttributesClassName: {
      type: 'string',
      description: 'Name of the volume attributes class.',
    },
  },
}

export const PersistentVolumeClaimCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a claim.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last check of the condition.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last transition of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the last transition, as one CamelCase word.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the last transition.',
    },
  },
  required: ['type', 'status'],
}

export const ModifyVolumeStatus: StructuralSchema = {
  type: 'object',
  description: 'Progress of a change of the volume attributes.',
  properties: {
    targetVolumeAttributesClassName: {
      type: 'string',
      description: 'Name of the desired volume attributes class.',
    },
    status: {
      type: 'string',
      description: 'Status of the change: Pending, InProgress or Infeasible.',
    },
  },
  required: ['status'],
}

export const PersistentVolumeClaimStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a claim.',
  properties: {
    phase: {
      type: 'string',
      description: 'Phase of the claim: Pending, Bound or Lost.',
    },
    accessModes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Access modes of the volume.',
      'x-kubernetes-list-type': 'atomic',
    },
    capacity: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Capacity of the volume.',
    },
    conditions: {
      type: 'array',
      items: PersistentVolumeClaimCondition,
      description: 'Conditions of the claim.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
    allocatedResources: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Allocated amount of storage.',
    },
    allocatedResourceStatuses: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Progress of a resize, by resource.',
    },
    currentVolumeAttributesClassName: {
      type: 'string',
      description: 'Name of the volume attributes class in effect.',
    },
    modifyVolumeStatus: {
      ...ModifyVolumeStatus,
      description: 'Progress of a change of the volume attributes.',
    },
  },
}

export const PersistentVolumeClaim: StructuralSchema = {
  type: 'object',
  description: 'Request for storage.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    spec: {
      ...PersistentVolumeClaimSpec,
      description: 'Desired state of the claim.',
    },
    status: {
      ...PersistentVolumeClaimStatus,
      description: 'Observed state of the claim.',
    },
  },
}

export const HostPathVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Path on the node.',
  properties: {
    path: {
      type: 'string',
      description: 'Path on the node.',
    },
    type: {
      type: 'string',
      description: 'Expected type of the path: Directory, File, Socket, DirectoryOrCreate …',
      default: '',
    },
  },
  required: ['path'],
}

export const LocalVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Disk or directory of one node.',
  properties: {
    path: {
      type: 'string',
      description: 'Path of the disk or directory on the node.',
    },
    fsType: {
      type: 'string',
      description: 'File system type of the volume.',
    },
  },
  required: ['path'],
}

export const SecretReference: StructuralSchema = {
  type: 'object',
  description: 'Reference to a Secret in any namespace.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the Secret.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace of the Secret.',
    },
  },
}

export const CSIPersistentVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A volume of a CSI driver.',
  properties: {
    driver: {
      type: 'string',
      description: 'Name of the driver.',
    },
    volumeHandle: {
      type: 'string',
      description: 'ID that the driver uses for the volume.',
    },
    readOnly: {
      type: 'boolean',
      description: 'True if the volume is mounted read-only.',
    },
    fsType: {
      type: 'string',
      description: 'File system type of the volume.',
    },
    volumeAttributes: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Settings for the driver.',
    },
    controllerPublishSecretRef: {
      ...SecretReference,
      description: 'Secret for attaching the volume.',
    },
    nodeStageSecretRef: {
      ...SecretReference,
      description: 'Secret for staging the volume.',
    },
    nodePublishSecretRef: {
      ...SecretReference,
      description: 'Secret for mounting the volume.',
    },
    controllerExpandSecretRef: {
      ...SecretReference,
      description: 'Secret for expanding the volume.',
    },
    nodeExpandSecretRef: {
      ...SecretReference,
      description: 'Secret for expanding the volume on the node.',
    },
  },
  required: ['driver', 'volumeHandle'],
}

export const NFSVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'An NFS export.',
  properties: {
    server: {
      type: 'string',
      description: 'Host name or IP address of the server.',
    },
    path: {
      type: 'string',
      description: 'Exported path.',
    },
    readOnly: {
      type: 'boolean',
      description: 'True if the volume is mounted read-only.',
    },
  },
  required: ['server', 'path'],
}

export const LocalObjectReference: StructuralSchema = {
  type: 'object',
  description: 'Reference to an object of a known kind in the same namespace.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const ISCSIVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'An iSCSI disk.',
  properties: {
    targetPortal: {
      type: 'string',
      description: 'Address of the target portal: `host:port`.',
    },
    iqn: {
      type: 'string',
      description: 'iSCSI qualified name of the target.',
    },
    lun: {
      type: 'integer',
      format: 'int32',
      description: 'Logical unit number.',
    },
    iscsiInterface: {
      type: 'string',
      description: 'iSCSI interface, which selects the transport.',
    },
    fsType: {
      type: 'string',
      description: 'File system type of the volume.',
    },
    readOnly: {
      type: 'boolean',
      description: 'True if the volume is mounted read-only.',
    },
    portals: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Addresses of additional portals of the target.',
      'x-kubernetes-list-type': 'atomic',
    },
    chapAuthDiscovery: {
      type: 'boolean',
      description: 'True if the discovery is authenticated.',
    },
    chapAuthSession: {
      type: 'boolean',
      description: 'True if sessions are authenticated.',
    },
    secretRef: {
      ...LocalObjectReference,
      description: 'Secret for authentication.',
    },
    initiatorName: {
      type: 'string',
      description: 'Name of the iSCSI initiator.',
    },
  },
  required: ['targetPortal', 'iqn', 'lun'],
}

export const FCVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A Fibre Channel disk.',
  properties: {
    targetWWNs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'World wide names of the targets.',
      'x-kubernetes-list-type': 'atomic',
    },
    lun: {
      type: 'integer',
      format: 'int32',
      description: 'Logical unit number.',
    },
    fsType: {
      type: 'string',
      description: 'File system type of the volume.',
    },
    readOnly: {
      type: 'boolean',
      description: 'True if the volume is mounted read-only.',
    },
    wwids: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'World wide identifiers.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const VolumeNodeAffinity: StructuralSchema = {
  type: 'object',
  description: 'Nodes that can access a volume.',
  properties: {
    required: {
      ...NodeSelector,
      description: 'Selector that a node must match.',
    },
  },
}

export const PersistentVolumeSpec: StructuralSchema = {
  type: 'object',
  description: 'Definition of a volume.',
  properties: {
    capacity: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Capacity of the volume.',
    },
    hostPath: {
      ...HostPathVolumeSource,
      description: 'Path on the node.',
    },
    local: {
      ...LocalVolumeSource,
      description: 'Disk or directory of one node.',
    },
    csi: {
      ...CSIPersistentVolumeSource,
      description: 'A volume of a CSI driver.',
    },
    nfs: {
      ...NFSVolumeSource,
      description: 'An NFS export.',
    },
    iscsi: {
      ...ISCSIVolumeSource,
      description: 'An iSCSI disk.',
    },
    fc: {
      ...FCVolumeSource,
      description: 'A Fibre Channel disk.',
    },
    cephfs: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Ceph file system.',
    },
    rbd: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Ceph block device.',
    },
    glusterfs: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Gluster volume.',
    },
    flexVolume: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A FlexVolume.',
    },
    awsElasticBlockStore: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An EBS disk.',
    },
    gcePersistentDisk: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A GCE disk.',
    },
    azureDisk: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An Azure disk.',
    },
    azureFile: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An Azure file share.',
    },
    cinder: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Cinder volume.',
    },
    vsphereVolume: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A vSphere disk.',
    },
    accessModes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Access modes of the volume.',
      'x-kubernetes-list-type': 'atomic',
    },
    claimRef: {
      ...ObjectReference,
      description: 'Reference to the claim that the volume is bound to.',
    },
    persistentVolumeReclaimPolicy: {
      type: 'string',
      description: 'Policy for the volume when the claim is deleted: Retain, Delete or Recycle.',
      default: 'Retain',
    },
    storageClassName: {
      type: 'string',
      description: 'Name of the storage class.',
    },
    mountOptions: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Mount options of the volume.',
      'x-kubernetes-list-type': 'atomic',
    },
    volumeMode: {
      type: 'string',
      description: 'Volume mode: Filesystem or Block.',
      default: 'Filesystem',
    },
    nodeAffinity: {
      ...VolumeNodeAffinity,
      description: 'Nodes that can access the volume.',
    },
    volumeAttributesClassName: {
      type: 'string',
      description: 'Name of the volume attributes class.',
    },
  },
}

export const PersistentVolumeStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a volume.',
  properties: {
    phase: {
      type: 'string',
      description: 'Phase of the volume: Pending, Available, Bound, Released or Failed.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the phase.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the phase, as one CamelCase word.',
    },
    lastPhaseTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last transition of the phase.',
    },
  },
}

export const PersistentVolume: StructuralSchema = {
  type: 'object',
  description: 'Piece of storage in the cluster.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    spec: {
      ...PersistentVolumeSpec,
      description: 'Definition of the volume.',
    },
    status: {
      ...PersistentVolumeStatus,
      description: 'Observed state of the volume.',
    },
  },
}

export const EmptyDirVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Empty directory with the lifetime of the pod.',
  properties: {
    medium: {
      type: 'string',
      description: 'Storage medium: empty for disk, Memory for memory, HugePages… for huge pages.',
    },
    sizeLimit: {
      anyOf: [{
        type: 'number',
      }, {
        type: 'string',
      }],
      pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Maximum size of the data in the volume.',
    },
  },
}

export const KeyToPath: StructuralSchema = {
  type: 'object',
  description: 'Mapping of a key to a file.',
  properties: {
    key: {
      type: 'string',
      description: 'Key to include.',
    },
    path: {
      type: 'string',
      description: 'Path of the file within the volume.',
    },
    mode: {
      type: 'integer',
      format: 'int32',
      description: 'Mode of the file.',
    },
  },
  required: ['key', 'path'],
}

export const SecretVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Keys of a Secret as files.',
  properties: {
    secretName: {
      type: 'string',
      description: 'Name of the Secret.',
    },
    items: {
      type: 'array',
      items: KeyToPath,
      description: 'Keys to include and their paths; all keys when absent.',
      'x-kubernetes-list-type': 'atomic',
    },
    defaultMode: {
      type: 'integer',
      format: 'int32',
      description: 'Default mode of the files.',
      default: 420,
    },
    optional: {
      type: 'boolean',
      description: 'True if the Secret may be missing.',
    },
  },
}

export const PersistentVolumeClaimVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'PersistentVolumeClaim in the namespace of the pod.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the claim.',
    },
    readOnly: {
      type: 'boolean',
      description: 'True if the volume is mounted read-only.',
    },
  },
  required: ['claimName'],
}

export const DownwardAPIVolumeFile: StructuralSchema = {
  type: 'object',
  description: 'File with a field of the pod or a resource of a container.',
  properties: {
    path: {
      type: 'string',
      description: 'Path of the file within the volume.',
    },
    fieldRef: {
      ...ObjectFieldSelector,
      description: 'Field of the pod.',
    },
    resourceFieldRef: {
      ...ResourceFieldSelector,
      description: 'Resource of a container.',
    },
    mode: {
      type: 'integer',
      format: 'int32',
      description: 'Mode of the file.',
    },
  },
  required: ['path'],
}

export const DownwardAPIVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Fields of the pod as files.',
  properties: {
    items: {
      type: 'array',
      items: DownwardAPIVolumeFile,
      description: 'Files of the volume.',
      'x-kubernetes-list-type': 'atomic',
    },
    defaultMode: {
      type: 'integer',
      format: 'int32',
      description: 'Default mode of the files.',
      default: 420,
    },
  },
}

export const ConfigMapVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Keys of a ConfigMap as files.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the ConfigMap.',
    },
    items: {
      type: 'array',
      items: KeyToPath,
      description: 'Keys to include and their paths; all keys when absent.',
      'x-kubernetes-list-type': 'atomic',
    },
    defaultMode: {
      type: 'integer',
      format: 'int32',
      description: 'Default mode of the files.',
      default: 420,
    },
    optional: {
      type: 'boolean',
      description: 'True if the ConfigMap may be missing.',
    },
  },
}

export const SecretProjection: StructuralSchema = {
  type: 'object',
  description: 'Keys of a Secret in a projected volume.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the Secret.',
    },
    items: {
      type: 'array',
      items: KeyToPath,
      description: 'Keys to include and their paths; all keys when absent.',
      'x-kubernetes-list-type': 'atomic',
    },
    optional: {
      type: 'boolean',
      description: 'True if the Secret may be missing.',
    },
  },
}

export const DownwardAPIProjection: StructuralSchema = {
  type: 'object',
  description: 'Fields of the pod in a projected volume.',
  properties: {
    items: {
      type: 'array',
      items: DownwardAPIVolumeFile,
      description: 'Files of the volume.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const ConfigMapProjection: StructuralSchema = {
  type: 'object',
  description: 'Keys of a ConfigMap in a projected volume.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the ConfigMap.',
    },
    items: {
      type: 'array',
      items: KeyToPath,
      description: 'Keys to include and their paths; all keys when absent.',
      'x-kubernetes-list-type': 'atomic',
    },
    optional: {
      type: 'boolean',
      description: 'True if the ConfigMap may be missing.',
    },
  },
}

export const ServiceAccountTokenProjection: StructuralSchema = {
  type: 'object',
  description: 'Token of the ServiceAccount of the pod.',
  properties: {
    audience: {
      type: 'string',
      description: 'Audience of the token.',
    },
    expirationSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Lifetime of the token in seconds.',
      default: 3600,
    },
    path: {
      type: 'string',
      description: 'Path of the token within the volume.',
    },
  },
  required: ['path'],
}

export const ClusterTrustBundleProjection: StructuralSchema = {
  type: 'object',
  description: 'A bundle of certificates.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the ClusterTrustBundle.',
    },
    signerName: {
      type: 'string',
      description: 'Name of the signer whose bundles are selected.',
    },
    labelSelector: {
      ...LabelSelector,
      description: 'Label selector for the bundles of the signer.',
    },
    optional: {
      type: 'boolean',
      description: 'True if the bundle may be missing.',
    },
    path: {
      type: 'string',
      description: 'Path of the file within the volume.',
    },
  },
  required: ['path'],
}

export const VolumeProjection: StructuralSchema = {
  type: 'object',
  description: 'Source of a projected volume; exactly one member is set.',
  properties: {
    secret: {
      ...SecretProjection,
      description: 'Keys of a Secret.',
    },
    downwardAPI: {
      ...DownwardAPIProjection,
      description: 'Fields of the pod.',
    },
    configMap: {
      ...ConfigMapProjection,
      description: 'Keys of a ConfigMap.',
    },
    serviceAccountToken: {
      ...ServiceAccountTokenProjection,
      description: 'Token of the ServiceAccount of the pod.',
    },
    clusterTrustBundle: {
      ...ClusterTrustBundleProjection,
      description: 'A bundle of certificates.',
    },
    podCertificate: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Private key and certificate for the pod.',
    },
  },
}

export const ProjectedVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Several sources in one directory.',
  properties: {
    sources: {
      type: 'array',
      items: VolumeProjection,
      description: 'Sources of the volume.',
      'x-kubernetes-list-type': 'atomic',
    },
    defaultMode: {
      type: 'integer',
      format: 'int32',
      description: 'Default mode of the files.',
      default: 420,
    },
  },
}

export const PersistentVolumeClaimTemplate: StructuralSchema = {
  type: 'object',
  description: 'Template of a claim.',
  properties: {
    metadata: {
      ...ObjectMeta,
      description: 'Labels and annotations of the claim.',
    },
    spec: {
      ...PersistentVolumeClaimSpec,
      description: 'Spec of the claim.',
    },
  },
  required: ['spec'],
}

export const EphemeralVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'PersistentVolumeClaim with the lifetime of the pod.',
  properties: {
    volumeClaimTemplate: {
      ...PersistentVolumeClaimTemplate,
      description: 'Template of the claim.',
    },
  },
}

export const ImageVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Files of an image.',
  properties: {
    reference: {
      type: 'string',
      description: 'Image reference.',
    },
    pullPolicy: {
      type: 'string',
      description: 'Image pull policy: Always, Never or IfNotPresent.',
    },
  },
}

export const CSIVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'A volume of a CSI driver.',
  properties: {
    driver: {
      type: 'string',
      description: 'Name of the driver.',
    },
    readOnly: {
      type: 'boolean',
      description: 'True if the volume is mounted read-only.',
    },
    fsType: {
      type: 'string',
      description: 'File system type of the volume.',
    },
    volumeAttributes: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Settings for the driver.',
    },
    nodePublishSecretRef: {
      ...LocalObjectReference,
      description: 'Secret that is passed to the driver.',
    },
  },
  required: ['driver'],
}

export const Volume: StructuralSchema = {
  type: 'object',
  description: 'A volume of a pod.',
  properties: {
    hostPath: {
      ...HostPathVolumeSource,
      description: 'Path on the node.',
    },
    emptyDir: {
      ...EmptyDirVolumeSource,
      description: 'Empty directory with the lifetime of the pod.',
    },
    secret: {
      ...SecretVolumeSource,
      description: 'Keys of a Secret as files.',
    },
    persistentVolumeClaim: {
      ...PersistentVolumeClaimVolumeSource,
      description: 'PersistentVolumeClaim in the namespace of the pod.',
    },
    downwardAPI: {
      ...DownwardAPIVolumeSource,
      description: 'Fields of the pod as files.',
    },
    configMap: {
      ...ConfigMapVolumeSource,
      description: 'Keys of a ConfigMap as files.',
    },
    projected: {
      ...ProjectedVolumeSource,
      description: 'Several sources in one directory.',
    },
    ephemeral: {
      ...EphemeralVolumeSource,
      description: 'PersistentVolumeClaim with the lifetime of the pod.',
    },
    image: {
      ...ImageVolumeSource,
      description: 'Files of an image, read-only.',
    },
    csi: {
      ...CSIVolumeSource,
      description: 'Volume of a CSI driver with the lifetime of the pod.',
    },
    nfs: {
      ...NFSVolumeSource,
      description: 'An NFS export.',
    },
    iscsi: {
      ...ISCSIVolumeSource,
      description: 'An iSCSI disk.',
    },
    fc: {
      ...FCVolumeSource,
      description: 'A Fibre Channel disk.',
    },
    cephfs: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Ceph file system.',
    },
    rbd: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Ceph block device.',
    },
    gitRepo: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Git repository.',
    },
    glusterfs: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Gluster volume.',
    },
    flexVolume: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A FlexVolume.',
    },
    awsElasticBlockStore: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An EBS disk.',
    },
    gcePersistentDisk: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A GCE disk.',
    },
    azureDisk: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An Azure disk.',
    },
    azureFile: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An Azure file share.',
    },
    cinder: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Cinder volume.',
    },
    vsphereVolume: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A vSphere disk.',
    },
    name: {
      type: 'string',
      description: 'Name of the volume, unique within the pod.',
    },
  },
  required: ['name'],
}

export const Sysctl: StructuralSchema = {
  type: 'object',
  description: 'Kernel parameter.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the parameter.',
    },
    value: {
      type: 'string',
      description: 'Value of the parameter.',
    },
  },
  required: ['name', 'value'],
}

export const PodSecurityContext: StructuralSchema = {
  type: 'object',
  description: 'Security context of all containers of a pod.',
  properties: {
    seLinuxOptions: {
      ...SELinuxOptions,
      description: 'SELinux label of the containers.',
    },
    windowsOptions: {
      ...WindowsSecurityContextOptions,
      description: 'Options for Windows containers only.',
    },
    runAsUser: {
      type: 'integer',
      format: 'int64',
      description: 'User ID that the containers run as.',
    },
    runAsGroup: {
      type: 'integer',
      format: 'int64',
      description: 'Group ID that the containers run as.',
    },
    runAsNonRoot: {
      type: 'boolean',
      description: 'True if the containers must not run as root.',
    },
    supplementalGroups: {
      type: 'array',
      items: {
        type: 'integer',
        format: 'int64',
      },
      description: 'Supplemental group IDs of the containers.',
      'x-kubernetes-list-type': 'atomic',
    },
    supplementalGroupsPolicy: {
      type: 'string',
      description: 'Policy for combining the supplemental groups with the groups of the image.',
    },
    fsGroup: {
      type: 'integer',
      format: 'int64',
      description: 'ID of the group that owns the volumes.',
    },
    sysctls: {
      type: 'array',
      items: Sysctl,
      description: 'Kernel parameters to set.',
      'x-kubernetes-list-type': 'atomic',
    },
    fsGroupChangePolicy: {
      type: 'string',
      description: 'Policy for changing the ownership of volumes.',
    },
    seccompProfile: {
      ...SeccompProfile,
      description: 'Seccomp profile.',
    },
    appArmorProfile: {
      ...AppArmorProfile,
      description: 'AppArmor profile.',
    },
    seLinuxChangePolicy: {
      type: 'string',
      description: 'Policy for labelling volumes for SELinux.',
    },
  },
}

export const HostAlias: StructuralSchema = {
  type: 'object',
  description: 'Entry of /etc/hosts.',
  properties: {
    ip: {
      type: 'string',
      description: 'IP address.',
    },
    hostnames: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Host names of the address.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['ip'],
}

export const PodDNSConfigOption: StructuralSchema = {
  type: 'object',
  description: 'An option of the resolver.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the option.',
    },
    value: {
      type: 'string',
      description: 'Value of the option.',
    },
  },
}

export const PodDNSConfig: StructuralSchema = {
  type: 'object',
  description: 'DNS settings of a pod.',
  properties: {
    nameservers: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Addresses of the name servers.',
      'x-kubernetes-list-type': 'atomic',
    },
    searches: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Search domains.',
      'x-kubernetes-list-type': 'atomic',
    },
    options: {
      type: 'array',
      items: PodDNSConfigOption,
      description: 'Options of the resolver.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const PodReadinessGate: StructuralSchema = {
  type: 'object',
  description: 'Additional condition that must be True before the pod is ready.',
  properties: {
    conditionType: {
      type: 'string',
      description: 'Type of the condition.',
    },
  },
  required: ['conditionType'],
}

export const PodOS: StructuralSchema = {
  type: 'object',
  description: 'Operating system of a pod.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the operating system: linux or windows.',
    },
  },
  required: ['name'],
}

export const PodSchedulingGate: StructuralSchema = {
  type: 'object',
  description: 'Gate that must be removed before the pod is scheduled.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the gate.',
    },
  },
  required: ['name'],
}

export const PodResourceClaim: StructuralSchema = {
  type: 'object',
  description: 'Claim for devices.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the claim, unique within the pod.',
    },
    resourceClaimName: {
      type: 'string',
      description: 'Name of an existing ResourceClaim.',
    },
    resourceClaimTemplateName: {
      type: 'string',
      description: 'Name of a ResourceClaimTemplate that a ResourceClaim is created from.',
    },
  },
  required: ['name'],
}

export const PodSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a pod.',
  properties: {
    volumes: {
      type: 'array',
      items: Volume,
      description: 'Volumes that containers mount.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge,retainKeys',
      'x-kubernetes-patch-merge-key': 'name',
    },
    initContainers: {
      type: 'array',
      items: Container,
      description: 'Init containers, run one after another before the other containers start.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    containers: {
      type: 'array',
      items: Container,
      description: 'Containers of the pod.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    ephemeralContainers: {
      type: 'array',
      items: EphemeralContainer,
      description: 'Ephemeral containers, added to a running pod for debugging.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    restartPolicy: {
      type: 'string',
      enum: ['Always', 'OnFailure', 'Never'],
      description: 'Restart policy of the containers: Always, OnFailure or Never.',
      default: 'Always',
    },
    terminationGracePeriodSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds between the request to stop the containers and their forced termination.',
      default: 30,
    },
    activeDeadlineSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Seconds after which the pod is stopped and marked as failed.',
    },
    dnsPolicy: {
      type: 'string',
      description: 'DNS policy of the pod.',
      default: 'ClusterFirst',
    },
    nodeSelector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that a node must have to run the pod.',
      'x-kubernetes-map-type': 'atomic',
    },
    serviceAccountName: {
      type: 'string',
      description: 'Name of the ServiceAccount that the pod runs as.',
    },
    serviceAccount: {
      type: 'string',
      description: 'Deprecated alias of serviceAccountName.',
    },
    automountServiceAccountToken: {
      type: 'boolean',
      description: 'True if an API token is mounted.',
    },
    nodeName: {
      type: 'string',
      description: 'Name of the node that the pod is bound to.',
    },
    hostNetwork: {
      type: 'boolean',
      description: 'True if the pod uses the network namespace of the node.',
    },
    hostPID: {
      type: 'boolean',
      description: 'True if the pod uses the process ID namespace of the node.',
    },
    hostIPC: {
      type: 'boolean',
      description: 'True if the pod uses the IPC namespace of the node.',
    },
    shareProcessNamespace: {
      type: 'boolean',
      description: 'True if the containers share one process ID namespace.',
    },
    securityContext: {
      ...PodSecurityContext,
      description: 'Security context of all containers.',
      default: {},
    },
    imagePullSecrets: {
      type: 'array',
      items: LocalObjectReference,
      description: 'Secrets with registry credentials for pulling images.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    hostname: {
      type: 'string',
      description: 'Host name of the pod.',
    },
    hostnameOverride: {
      type: 'string',
      description: 'Host name inside the pod. Takes precedence over all other settings of the host name.',
    },
    subdomain: {
      type: 'string',
      description: 'Subdomain of the pod.',
    },
    affinity: {
      ...Affinity,
      description: 'Affinity and anti-affinity rules for scheduling the pod.',
    },
    schedulerName: {
      type: 'string',
      description: 'Name of the scheduler that binds the pod.',
      default: 'default-scheduler',
    },
    tolerations: {
      type: 'array',
      items: Toleration,
      description: 'Taints that the pod tolerates.',
      'x-kubernetes-list-type': 'atomic',
    },
    hostAliases: {
      type: 'array',
      items: HostAlias,
      description: 'Entries for /etc/hosts.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['ip'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'ip',
    },
    priorityClassName: {
      type: 'string',
      description: 'Name of the priority class.',
    },
    priority: {
      type: 'integer',
      format: 'int32',
      description: 'Priority of the pod, from the priority class.',
    },
    dnsConfig: {
      ...PodDNSConfig,
      description: 'DNS settings of the pod.',
    },
    readinessGates: {
      type: 'array',
      items: PodReadinessGate,
      description: 'Additional conditions that must be True before the pod is ready.',
      'x-kubernetes-list-type': 'atomic',
    },
    runtimeClassName: {
      type: 'string',
      description: 'Name of the RuntimeClass that the pod runs with.',
    },
    enableServiceLinks: {
      type: 'boolean',
      description: 'True if environment variables for services are set in the containers. Defaults to true for pods. Pod templates are not defaulted.',
    },
    preemptionPolicy: {
      type: 'string',
      description: 'Preemption policy: PreemptLowerPriority or Never.',
    },
    overhead: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Resources that the pod needs besides those of its containers.',
    },
    topologySpreadConstraints: {
      type: 'array',
      items: TopologySpreadConstraint,
      description: 'Constraints for spreading pods over topology domains.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['topologyKey', 'whenUnsatisfiable'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'topologyKey',
    },
    setHostnameAsFQDN: {
      type: 'boolean',
      description: 'True if the host name of the pod is its fully qualified domain name.',
    },
    os: {
      ...PodOS,
      description: 'Operating system of the pod.',
    },
    hostUsers: {
      type: 'boolean',
      description: 'True if the pod uses the user namespace of the node; false if the pod has a separate user namespace.',
    },
    schedulingGates: {
      type: 'array',
      items: PodSchedulingGate,
      description: 'Gates that must be removed before the pod is scheduled.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    resourceClaims: {
      type: 'array',
      items: PodResourceClaim,
      description: 'Claims for devices.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge,retainKeys',
      'x-kubernetes-patch-merge-key': 'name',
    },
    resources: {
      ...ResourceRequirements,
      description: 'Resources of the pod as a whole.',
    },
  },
  required: ['containers'],
}

export const PodCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a pod.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition: PodScheduled, Initialized, ContainersReady, Ready, DisruptionTarget.',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that the condition describes.',
    },
    status: {
      type: 'string',
      enum: ['True', 'False', 'Unknown'],
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastProbeTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last check of the condition.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      nullable: true,
      description: 'Time of the last transition of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the last transition, as one CamelCase word.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the last transition.',
    },
  },
  required: ['type', 'status'],
}

export const HostIP: StructuralSchema = {
  type: 'object',
  description: 'IP address of a node.',
  properties: {
    ip: {
      type: 'string',
      description: 'IP address.',
    },
  },
  required: ['ip'],
}

export const PodIP: StructuralSchema = {
  type: 'object',
  description: 'IP address of a pod.',
  properties: {
    ip: {
      type: 'string',
      description: 'IP address.',
    },
  },
  required: ['ip'],
}

export const PodResourceClaimStatus: StructuralSchema = {
  type: 'object',
  description: 'Status of a claim for devices.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the claim in the pod.',
    },
    resourceClaimName: {
      type: 'string',
      description: 'Name of the ResourceClaim that was created for the claim.',
    },
  },
  required: ['name'],
}

export const PodStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a pod.',
  properties: {
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that the status describes.',
    },
    phase: {
      type: 'string',
      enum: ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'],
      description: 'Phase of the life cycle of the pod.',
    },
    conditions: {
      type: 'array',
      items: PodCondition,
      description: 'Conditions of the pod.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the phase.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the phase, as one CamelCase word: Evicted.',
    },
    nominatedNodeName: {
      type: 'string',
      description: 'Name of the node on which preemption frees resources for the pod.',
    },
    hostIP: {
      type: 'string',
      description: 'IP address of the node.',
    },
    hostIPs: {
      type: 'array',
      items: HostIP,
      description: 'IP addresses of the node.',
      'x-kubernetes-list-type': 'atomic',
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'ip',
    },
    podIP: {
      type: 'string',
      description: 'IP address of the pod.',
    },
    podIPs: {
      type: 'array',
      items: PodIP,
      description: 'IP addresses of the pod.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['ip'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'ip',
    },
    startTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time when the kubelet first observed the pod.',
    },
    initContainerStatuses: {
      type: 'array',
      items: ContainerStatus,
      description: 'Statuses of the init containers.',
      'x-kubernetes-list-type': 'atomic',
    },
    containerStatuses: {
      type: 'array',
      items: ContainerStatus,
      description: 'Statuses of the containers.',
      'x-kubernetes-list-type': 'atomic',
    },
    qosClass: {
      type: 'string',
      description: 'Quality of service class: Guaranteed, Burstable or BestEffort.',
    },
    ephemeralContainerStatuses: {
      type: 'array',
      items: ContainerStatus,
      description: 'Statuses of the ephemeral containers.',
      'x-kubernetes-list-type': 'atomic',
    },
    resize: {
      type: 'string',
      description: 'Progress of an in-place resize of the pod.',
    },
    resourceClaimStatuses: {
      type: 'array',
      items: PodResourceClaimStatus,
      description: 'Statuses of the claims for devices.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge,retainKeys',
      'x-kubernetes-patch-merge-key': 'name',
    },
    allocatedResources: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Resources allocated to the pod.',
    },
    resources: {
      ...ResourceRequirements,
      description: 'Resources in effect for the pod.',
    },
  },
}

export const Pod: StructuralSchema = {
  type: 'object',
  description: 'Containers that are scheduled to one node, started and stopped together.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    spec: {
      ...PodSpec,
      description: 'Desired state of the pod.',
    },
    status: {
      ...PodStatus,
      description: 'Observed state of the pod.',
    },
  },
  required: ['spec'],
}

export const PodTemplateSpec: StructuralSchema = {
  type: 'object',
  description: 'Template of the pods of a workload.',
  properties: {
    metadata: {
      ...ObjectMeta,
      description: 'Labels and annotations of the pods.',
    },
    spec: {
      ...PodSpec,
      description: 'Spec of the pods.',
    },
  },
  required: ['spec'],
}

export const ReplicationControllerSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a replication controller.',
  properties: {
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'Desired number of pods.',
      default: 1,
    },
    minReadySeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds that a pod must be ready to count as available.',
    },
    selector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels of the pods of the replication controller.',
      'x-kubernetes-map-type': 'atomic',
    },
    template: {
      ...PodTemplateSpec,
      description: 'Template of the pods.',
    },
  },
}

export const ReplicationControllerCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a replication controller.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition.',
    },
    status: {
      type: 'string',
      description: 'Status of the condition: True, False or Unknown.',
    },
    lastTransitionTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last transition of the status.',
    },
    reason: {
      type: 'string',
      description: 'Reason of the last transition, as one CamelCase word.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the last transition.',
    },
  },
  required: ['type', 'status'],
}

export const ReplicationControllerStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a replication controller.',
  properties: {
    replicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods.',
      default: 0,
    },
    fullyLabeledReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods with all labels of the template.',
    },
    readyReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of ready pods.',
    },
    availableReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods that have been ready for at least minReadySeconds.',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that the status describes.',
    },
    conditions: {
      type: 'array',
      items: ReplicationControllerCondition,
      description: 'Conditions of the replication controller.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
  },
  required: ['replicas'],
}

export const ReplicationController: StructuralSchema = {
  type: 'object',
  description: 'Maintains a number of pods. Predecessor of the ReplicaSet.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    spec: {
      ...ReplicationControllerSpec,
      description: 'Desired state of the replication controller.',
    },
    status: {
      ...ReplicationControllerStatus,
      description: 'Observed state of the replication controller.',
    },
  },
}

export const PodTemplate: StructuralSchema = {
  type: 'object',
  description: 'Template of pods, as a separate object.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    template: {
      ...PodTemplateSpec,
      description: 'Template of the pods.',
    },
  },
}

export const ScopedResourceSelectorRequirement: StructuralSchema = {
  type: 'object',
  description: 'Requirement on a scope.',
  properties: {
    scopeName: {
      type: 'string',
      description: 'Name of the scope.',
    },
    operator: {
      type: 'string',
      description: 'Comparison operator: In, NotIn, Exists or DoesNotExist.',
    },
    values: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Values for the operators In and NotIn.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['scopeName', 'operator'],
}

export const ScopeSelector: StructuralSchema = {
  type: 'object',
  description: 'Selector of objects by scopes. All requirements must hold.',
  properties: {
    matchExpressions: {
      type: 'array',
      items: ScopedResourceSelectorRequirement,
      description: 'Requirements on scopes.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const ResourceQuotaSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a quota.',
  properties: {
    hard: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Maximum amount of each resource: `requests.cpu`, `pods`, `count/deployments.apps` …',
    },
    scopes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Scopes of the objects that are counted: Terminating, NotTerminating, BestEffort, NotBestEffort, PriorityClass …',
      'x-kubernetes-list-type': 'atomic',
    },
    scopeSelector: {
      ...ScopeSelector,
      description: 'Selector of the objects that are counted, by expressions on scopes.',
    },
  },
}

export const ResourceQuotaStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a quota.',
  properties: {
    hard: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Limits in effect.',
    },
    used: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'number',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-preserve-unknown-fields': true,
      },
      description: 'Current usage of each resource.',
    },
  },
}

export const ResourceQuota: StructuralSchema = {
  type: 'object',
  description: 'Limits on the resources that all objects of a namespace together may request.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    spec: {
      ...ResourceQuotaSpec,
      description: 'Desired state of the quota.',
    },
    status: {
      ...ResourceQuotaStatus,
      description: 'Observed state of the quota.',
    },
  },
}

export const Secret: StructuralSchema = {
  type: 'object',
  description: 'Confidential data for workloads.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    immutable: {
      type: 'boolean',
      description: 'True if all further changes of the data are forbidden.',
    },
    data: {
      type: 'object',
      additionalProperties: {
        type: 'string',
        format: 'byte',
      },
      description: 'Values by key, encoded as base64.',
    },
    stringData: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Values by key as plain text. The values are merged into `data` on writes and never returned on reads.',
    },
    type: {
      type: 'string',
      description: 'Type of the Secret; immutable.',
      default: 'Opaque',
    },
  },
}

export const ServiceAccount: StructuralSchema = {
  type: 'object',
  description: 'Identity for the processes of a pod.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    secrets: {
      type: 'array',
      items: ObjectReference,
      description: 'Secrets that pods of the ServiceAccount may use.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    },
    imagePullSecrets: {
      type: 'array',
      items: LocalObjectReference,
      description: 'Secrets with registry credentials for pods of the ServiceAccount.',
      'x-kubernetes-list-type': 'atomic',
    },
    automountServiceAccountToken: {
      type: 'boolean',
      description: 'True if an API token is mounted into the pods.',
    },
  },
}

export const ServicePort: StructuralSchema = {
  type: 'object',
  description: 'A port of a service.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the port, unique within the service.',
    },
    protocol: {
      type: 'string',
      description: 'Protocol of the port: TCP, UDP or SCTP.',
      default: 'TCP',
    },
    appProtocol: {
      type: 'string',
      description: 'Application protocol, on top of the transport protocol.',
    },
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port number of the service.',
    },
    targetPort: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Number or name of the port of the pods.',
    },
    nodePort: {
      type: 'integer',
      format: 'int32',
      description: 'Port number on every node.',
    },
  },
  required: ['port'],
}

export const ClientIPConfig: StructuralSchema = {
  type: 'object',
  description: 'Settings of ClientIP affinity.',
  properties: {
    timeoutSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Seconds that the traffic of a client is sent to the same pod.',
    },
  },
}

export const SessionAffinityConfig: StructuralSchema = {
  type: 'object',
  description: 'Settings of the session affinity.',
  properties: {
    clientIP: {
      ...ClientIPConfig,
      description: 'Settings of ClientIP affinity.',
    },
  },
}

export const ServiceSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a service.',
  properties: {
    ports: {
      type: 'array',
      items: ServicePort,
      description: 'Ports of the service.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'port',
    },
    selector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels of the pods that the service selects.',
      'x-kubernetes-map-type': 'atomic',
    },
    clusterIP: {
      type: 'string',
      description: 'IP address of the service; `None` makes the service headless.',
    },
    clusterIPs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'IP addresses of the service, one per IP family.',
      'x-kubernetes-list-type': 'atomic',
    },
    type: {
      type: 'string',
      description: 'Type of the service: ClusterIP, NodePort, LoadBalancer or ExternalName.',
      default: 'ClusterIP',
    },
    externalIPs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Additional IP addresses that route to the service.',
      'x-kubernetes-list-type': 'atomic',
    },
    sessionAffinity: {
      type: 'string',
      description: 'Session affinity: ClientIP or None.',
      default: 'None',
    },
    loadBalancerIP: {
      type: 'string',
      description: 'IP address of the load balancer. Deprecated.',
    },
    loadBalancerSourceRanges: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Address ranges of the clients that may use the load balancer.',
      'x-kubernetes-list-type': 'atomic',
    },
    externalName: {
      type: 'string',
      description: 'DNS name that the service is an alias of.',
    },
    externalTrafficPolicy: {
      type: 'string',
      description: 'Routing policy for external traffic: Cluster or Local.',
    },
    healthCheckNodePort: {
      type: 'integer',
      format: 'int32',
      description: 'Port for health checks of the nodes.',
    },
    publishNotReadyAddresses: {
      type: 'boolean',
      description: 'True if addresses of pods are published before the pods are ready.',
    },
    sessionAffinityConfig: {
      ...SessionAffinityConfig,
      description: 'Settings of the session affinity.',
    },
    ipFamilies: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'IP families of the service.',
      'x-kubernetes-list-type': 'atomic',
    },
    ipFamilyPolicy: {
      type: 'string',
      description: 'IP family policy: SingleStack, PreferDualStack or RequireDualStack.',
    },
    allocateLoadBalancerNodePorts: {
      type: 'boolean',
      description: 'True if node ports are allocated for the load balancer.',
    },
    loadBalancerClass: {
      type: 'string',
      description: 'Class of the load balancer.',
    },
    internalTrafficPolicy: {
      type: 'string',
      description: 'Routing policy for traffic within the cluster: Cluster or Local.',
    },
    trafficDistribution: {
      type: 'string',
      description: 'Preference among endpoints for the distribution of traffic.',
    },
  },
}

export const PortStatus: StructuralSchema = {
  type: 'object',
  description: 'A port of a load balancer.',
  properties: {
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port number.',
    },
    protocol: {
      type: 'string',
      description: 'Protocol of the port: TCP, UDP or SCTP.',
    },
    error: {
      type: 'string',
      description: 'Error message of the port.',
    },
  },
  required: ['port', 'protocol'],
}

export const LoadBalancerIngress: StructuralSchema = {
  type: 'object',
  description: 'Address of a load balancer.',
  properties: {
    ip: {
      type: 'string',
      description: 'IP address of the load balancer.',
    },
    hostname: {
      type: 'string',
      description: 'Host name of the load balancer.',
    },
    ipMode: {
      type: 'string',
      description: 'Mode in which the load balancer forwards traffic for the IP address.',
    },
    ports: {
      type: 'array',
      items: PortStatus,
      description: 'Ports of the load balancer.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const LoadBalancerStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a load balancer.',
  properties: {
    ingress: {
      type: 'array',
      items: LoadBalancerIngress,
      description: 'Addresses of the load balancer.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const ServiceStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a service.',
  properties: {
    loadBalancer: {
      ...LoadBalancerStatus,
      description: 'Observed state of the load balancer.',
    },
    conditions: {
      type: 'array',
      items: Condition,
      description: 'Conditions of the service.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
  },
}

export const Service: StructuralSchema = {
  type: 'object',
  description: 'Stable name and address for a set of pods.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in CamelCase.',
    },
    metadata: {
      ...ObjectMeta,
      description: 'Name, labels and other metadata of the object.',
    },
    spec: {
      ...ServiceSpec,
      description: 'Desired state of the service.',
    },
    status: {
      ...ServiceStatus,
      description: 'Observed state of the service.',
    },
  },
}

export const VolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Source of a volume; exactly one member is set.',
  properties: {
    hostPath: {
      ...HostPathVolumeSource,
      description: 'Path on the node.',
    },
    emptyDir: {
      ...EmptyDirVolumeSource,
      description: 'Empty directory with the lifetime of the pod.',
    },
    secret: {
      ...SecretVolumeSource,
      description: 'Keys of a Secret as files.',
    },
    persistentVolumeClaim: {
      ...PersistentVolumeClaimVolumeSource,
      description: 'PersistentVolumeClaim in the namespace of the pod.',
    },
    downwardAPI: {
      ...DownwardAPIVolumeSource,
      description: 'Fields of the pod as files.',
    },
    configMap: {
      ...ConfigMapVolumeSource,
      description: 'Keys of a ConfigMap as files.',
    },
    projected: {
      ...ProjectedVolumeSource,
      description: 'Several sources in one directory.',
    },
    ephemeral: {
      ...EphemeralVolumeSource,
      description: 'PersistentVolumeClaim with the lifetime of the pod.',
    },
    image: {
      ...ImageVolumeSource,
      description: 'Files of an image, read-only.',
    },
    csi: {
      ...CSIVolumeSource,
      description: 'Volume of a CSI driver with the lifetime of the pod.',
    },
    nfs: {
      ...NFSVolumeSource,
      description: 'An NFS export.',
    },
    iscsi: {
      ...ISCSIVolumeSource,
      description: 'An iSCSI disk.',
    },
    fc: {
      ...FCVolumeSource,
      description: 'A Fibre Channel disk.',
    },
    cephfs: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Ceph file system.',
    },
    rbd: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Ceph block device.',
    },
    gitRepo: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Git repository.',
    },
    glusterfs: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Gluster volume.',
    },
    flexVolume: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A FlexVolume.',
    },
    awsElasticBlockStore: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An EBS disk.',
    },
    gcePersistentDisk: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A GCE disk.',
    },
    azureDisk: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An Azure disk.',
    },
    azureFile: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'An Azure file share.',
    },
    cinder: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A Cinder volume.',
    },
    vsphereVolume: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'A vSphere disk.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  Binding: Binding,
  ConfigMap: ConfigMap,
  Endpoints: Endpoints,
  Event: CoreEvent,
  LimitRange: LimitRange,
  Namespace: Namespace,
  Node: Node,
  PersistentVolume: PersistentVolume,
  PersistentVolumeClaim: PersistentVolumeClaim,
  Pod: Pod,
  PodTemplate: PodTemplate,
  ReplicationController: ReplicationController,
  ResourceQuota: ResourceQuota,
  Secret: Secret,
  Service: Service,
  ServiceAccount: ServiceAccount,
}
