// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

export const CdiCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of an object of CDI.',
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
      description: 'Time of the last change of the status.',
    },
    lastHeartbeatTime: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last update of the condition.',
    },
    reason: {
      type: 'string',
      description: 'Reason for the status, as one word in CamelCase.',
    },
    message: {
      type: 'string',
      description: 'Human-readable explanation of the status.',
    },
  },
  required: ['type', 'status'],
}

export const ImportProxy: StructuralSchema = {
  type: 'object',
  description: 'Proxies of pods that import.',
  properties: {
    HTTPProxy: {
      type: 'string',
      description: 'Proxy for HTTP.',
    },
    HTTPSProxy: {
      type: 'string',
      description: 'Proxy for HTTPS.',
    },
    noProxy: {
      type: 'string',
      description: 'Hosts and networks without a proxy, with commas.',
    },
    trustedCAProxy: {
      type: 'string',
      description: 'Name of a ConfigMap with certificates of authorities.',
    },
  },
}

export const CoreResourceClaim: StructuralSchema = {
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

export const CoreResourceRequirements: StructuralSchema = {
  type: 'object',
  description: 'Requests and limits of compute resources.',
  properties: {
    limits: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'integer',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-int-or-string': true,
      },
      description: 'Maximum amount of each resource that may be used.',
    },
    requests: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'integer',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-int-or-string': true,
      },
      description: 'Requested amount of each resource.',
    },
    claims: {
      type: 'array',
      items: CoreResourceClaim,
      description: 'Claims of the pod for devices that the container uses.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
  },
}

export const FilesystemOverhead: StructuralSchema = {
  type: 'object',
  description: 'Share of volumes with a file system that is not for disks, from 0 to 1.',
  properties: {
    global: {
      type: 'string',
      description: 'Share for all storage classes.',
      pattern: '^(0(?:\\.\\d{1,3})?|1)$',
    },
    storageClass: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Share by storage class.',
    },
  },
}

export const CoreLocalObjectReference: StructuralSchema = {
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

export const CDIConfigSpec: StructuralSchema = {
  type: 'object',
  description: 'Settings of imports.',
  properties: {
    uploadProxyURLOverride: {
      type: 'string',
      description: 'URL that clients upload to.',
    },
    importProxy: {
      ...ImportProxy,
      description: 'Proxies of pods that import.',
    },
    scratchSpaceStorageClass: {
      type: 'string',
      description: 'Storage class of scratch space.',
    },
    podResourceRequirements: {
      ...CoreResourceRequirements,
      description: 'Resources of pods that populate volumes.',
    },
    featureGates: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Feature gates that are enabled.',
    },
    webhookPvcRendering: {
      type: 'string',
      description: 'Whether claims are completed from StorageProfiles: `Enabled` or `Disabled`.',
    },
    filesystemOverhead: {
      ...FilesystemOverhead,
      description: 'Share of volumes with a file system that is not for disks.',
    },
    preallocation: {
      type: 'boolean',
      description: 'True if the space of volumes is preallocated.',
    },
    insecureRegistries: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Registries that are asked without TLS.',
    },
    dataVolumeTTLSeconds: {
      type: 'integer',
      format: 'int32',
      description: 'Unused.',
    },
    tlsSecurityProfile: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'TLS versions and ciphers.',
    },
    imagePullSecrets: {
      type: 'array',
      items: CoreLocalObjectReference,
      description: 'Secrets for pulling the images of pods that populate volumes.',
    },
    logVerbosity: {
      type: 'integer',
      format: 'int32',
      description: 'Verbosity of logs.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const CDIConfigStatus: StructuralSchema = {
  type: 'object',
  description: 'Settings of imports that are used.',
  properties: {
    uploadProxyURL: {
      type: 'string',
      description: 'URL that clients upload to.',
    },
    uploadProxyCA: {
      type: 'string',
      description: 'Certificate of the authority of that server.',
    },
    importProxy: {
      ...ImportProxy,
      description: 'Proxies of pods that import.',
    },
    scratchSpaceStorageClass: {
      type: 'string',
      description: 'Storage class of scratch space.',
    },
    defaultPodResourceRequirements: {
      ...CoreResourceRequirements,
      description: 'Resources of pods that populate volumes.',
    },
    filesystemOverhead: {
      ...FilesystemOverhead,
      description: 'Share of volumes with a file system that is not for disks.',
    },
    preallocation: {
      type: 'boolean',
      description: 'True if the space of volumes is preallocated.',
    },
    imagePullSecrets: {
      type: 'array',
      items: CoreLocalObjectReference,
      description: 'Secrets for pulling the images of pods that populate volumes.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const CDIConfig: StructuralSchema = {
  type: 'object',
  description: 'Settings of imports, in the object `config`.',
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
      type: 'object',
    },
    spec: {
      ...CDIConfigSpec,
      description: 'Settings.',
    },
    status: {
      ...CDIConfigStatus,
      description: 'What is used.',
    },
  },
  required: ['spec'],
}

export const CoreNodeSelectorRequirement: StructuralSchema = {
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

export const CoreNodeSelectorTerm: StructuralSchema = {
  type: 'object',
  description: 'Term of a selector of nodes. All requirements must match.',
  properties: {
    matchExpressions: {
      type: 'array',
      items: CoreNodeSelectorRequirement,
      description: 'Requirements on labels of the node.',
      'x-kubernetes-list-type': 'atomic',
    },
    matchFields: {
      type: 'array',
      items: CoreNodeSelectorRequirement,
      description: 'Requirements on fields of the node.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const CoreNodeSelector: StructuralSchema = {
  type: 'object',
  description: 'Selector of nodes. At least one term must match.',
  properties: {
    nodeSelectorTerms: {
      type: 'array',
      items: CoreNodeSelectorTerm,
      description: 'Terms of the selector.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['nodeSelectorTerms'],
  'x-kubernetes-map-type': 'atomic',
}

export const CorePreferredSchedulingTerm: StructuralSchema = {
  type: 'object',
  description: 'Weighted preference for nodes.',
  properties: {
    weight: {
      type: 'integer',
      format: 'int32',
      description: 'Weight of the preference, 1 to 100.',
    },
    preference: {
      ...CoreNodeSelectorTerm,
      description: 'Term that preferred nodes match.',
    },
  },
  required: ['weight', 'preference'],
}

export const CoreNodeAffinity: StructuralSchema = {
  type: 'object',
  description: 'Rules about the labels of nodes.',
  properties: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      ...CoreNodeSelector,
      description: 'Rules that a node must satisfy when the pod is scheduled.',
    },
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: CorePreferredSchedulingTerm,
      description: 'Weighted rules for ranking nodes when the pod is scheduled.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const MetaLabelSelectorRequirement: StructuralSchema = {
  type: 'object',
  description: 'Requirement on a label.',
  properties: {
    key: {
      type: 'string',
      description: 'Key of the label.',
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
      description: 'Values to compare with; empty for Exists and DoesNotExist.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['key', 'operator'],
}

export const MetaLabelSelector: StructuralSchema = {
  type: 'object',
  description: 'Selector of objects by labels. All requirements must match. An empty selector matches all objects.',
  properties: {
    matchLabels: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that must have exactly these values.',
    },
    matchExpressions: {
      type: 'array',
      items: MetaLabelSelectorRequirement,
      description: 'Requirements on labels. All requirements must match.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const CorePodAffinityTerm: StructuralSchema = {
  type: 'object',
  description: 'Selector of other pods, with the topology in which nodes are near each other.',
  properties: {
    labelSelector: {
      ...MetaLabelSelector,
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
      ...MetaLabelSelector,
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

export const CoreWeightedPodAffinityTerm: StructuralSchema = {
  type: 'object',
  description: 'Weighted pod affinity term.',
  properties: {
    weight: {
      type: 'integer',
      format: 'int32',
      description: 'Weight of the term, 1 to 100.',
    },
    podAffinityTerm: {
      ...CorePodAffinityTerm,
      description: 'Pod affinity term.',
    },
  },
  required: ['weight', 'podAffinityTerm'],
}

export const CorePodAffinity: StructuralSchema = {
  type: 'object',
  description: 'Rules for scheduling a pod near other pods.',
  properties: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: CorePodAffinityTerm,
      description: 'Terms that must be satisfied when the pod is scheduled.',
      'x-kubernetes-list-type': 'atomic',
    },
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: CoreWeightedPodAffinityTerm,
      description: 'Weighted terms for ranking nodes when the pod is scheduled.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const CorePodAntiAffinity: StructuralSchema = {
  type: 'object',
  description: 'Rules for scheduling a pod away from other pods.',
  properties: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: CorePodAffinityTerm,
      description: 'Terms that must be satisfied when the pod is scheduled.',
      'x-kubernetes-list-type': 'atomic',
    },
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      items: CoreWeightedPodAffinityTerm,
      description: 'Weighted terms for ranking nodes when the pod is scheduled.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const CoreAffinity: StructuralSchema = {
  type: 'object',
  description: 'Affinity rules for scheduling a pod.',
  properties: {
    nodeAffinity: {
      ...CoreNodeAffinity,
      description: 'Rules about the labels of nodes.',
    },
    podAffinity: {
      ...CorePodAffinity,
      description: 'Rules for scheduling the pod near other pods.',
    },
    podAntiAffinity: {
      ...CorePodAntiAffinity,
      description: 'Rules for scheduling the pod away from other pods.',
    },
  },
}

export const CoreToleration: StructuralSchema = {
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

export const ComponentConfig: StructuralSchema = {
  type: 'object',
  description: 'Nodes and number of CDI\'s own pods.',
  properties: {
    nodeSelector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that the node must have.',
    },
    affinity: {
      ...CoreAffinity,
      description: 'Affinity of the pod.',
    },
    tolerations: {
      type: 'array',
      items: CoreToleration,
      description: 'Taints that the pod tolerates.',
    },
    deploymentReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods of the controllers.',
    },
    apiServerReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods of the API server.',
    },
    uploadProxyReplicas: {
      type: 'integer',
      format: 'int32',
      description: 'Number of pods of the upload proxy.',
    },
  },
}

export const CdiNodePlacement: StructuralSchema = {
  type: 'object',
  description: 'Nodes that pods may run on.',
  properties: {
    nodeSelector: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Labels that the node must have.',
    },
    affinity: {
      ...CoreAffinity,
      description: 'Affinity of the pod.',
    },
    tolerations: {
      type: 'array',
      items: CoreToleration,
      description: 'Taints that the pod tolerates.',
    },
  },
}

export const CertConfig: StructuralSchema = {
  type: 'object',
  description: 'Lifetime of a certificate.',
  properties: {
    duration: {
      type: 'string',
      description: 'Lifetime.',
    },
    renewBefore: {
      type: 'string',
      description: 'Time before the end at which a certificate is renewed.',
    },
  },
}

export const CDICertConfig: StructuralSchema = {
  type: 'object',
  description: 'Lifetimes of certificates.',
  properties: {
    ca: {
      ...CertConfig,
      description: 'Certificates of authorities.',
    },
    server: {
      ...CertConfig,
      description: 'Certificates of servers.',
    },
    client: {
      ...CertConfig,
      description: 'Certificates of clients.',
    },
  },
}

export const CDISpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of an installation of CDI.',
  properties: {
    imagePullPolicy: {
      type: 'string',
      description: 'Policy for pulling images.',
      enum: ['Always', 'IfNotPresent', 'Never'],
    },
    uninstallStrategy: {
      type: 'string',
      description: 'What happens to workloads when CDI is removed.',
      enum: ['RemoveWorkloads', 'BlockUninstallIfWorkloadsExist'],
    },
    infra: {
      ...ComponentConfig,
      description: 'Nodes of CDI\'s own pods.',
    },
    workload: {
      ...CdiNodePlacement,
      description: 'Nodes of pods that populate volumes.',
    },
    customizeComponents: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Patches of CDI\'s own objects.',
    },
    cloneStrategyOverride: {
      type: 'string',
      description: 'How volumes are cloned, instead of what StorageProfiles say.',
      enum: ['copy', 'snapshot', 'csi-clone'],
    },
    config: {
      ...CDIConfigSpec,
      description: 'Settings that CDIConfig follows.',
    },
    certConfig: {
      ...CDICertConfig,
      description: 'Lifetimes of certificates.',
    },
    priorityClass: {
      type: 'string',
      description: 'Name of the priority class of CDI\'s own pods.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const CDIStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of an installation of CDI.',
  properties: {
    phase: {
      type: 'string',
      description: 'Phase: Deploying, Deployed, Upgrading, Deleting, Deleted or Error.',
    },
    conditions: {
      type: 'array',
      items: CdiCondition,
      description: 'Conditions: Available, Progressing and Degraded.',
    },
    operatorVersion: {
      type: 'string',
      description: 'Version of the operator.',
    },
    targetVersion: {
      type: 'string',
      description: 'Version that is installed.',
    },
    observedVersion: {
      type: 'string',
      description: 'Version that is running.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const CDI: StructuralSchema = {
  type: 'object',
  description: 'Installation of CDI.',
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
      type: 'object',
    },
    spec: {
      ...CDISpec,
      description: 'Desired state.',
    },
    status: {
      ...CDIStatus,
      description: 'Observed state.',
    },
  },
  required: ['spec'],
}

export const DataVolumeBlankImage: StructuralSchema = {
  type: 'object',
  description: 'An empty disk.',
}

export const DataVolumeSourceGCS: StructuralSchema = {
  type: 'object',
  description: 'Object of Google Cloud Storage.',
  properties: {
    url: {
      type: 'string',
      description: 'URL of the object.',
    },
    secretRef: {
      type: 'string',
      description: 'Secret with the credentials.',
    },
  },
  required: ['url'],
}

export const DataVolumeSourceHTTP: StructuralSchema = {
  type: 'object',
  description: 'File of a web server.',
  properties: {
    url: {
      type: 'string',
      description: 'URL of the object.',
    },
    secretRef: {
      type: 'string',
      description: 'Secret with the credentials.',
    },
    certConfigMap: {
      type: 'string',
      description: 'ConfigMap with the certificates of authorities.',
    },
    extraHeaders: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Headers of the request.',
    },
    secretExtraHeaders: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Secrets with headers of the request.',
    },
    checksum: {
      type: 'string',
      description: 'Digest of the file: `md5`, `sha1`, `sha256` or `sha512`, a colon, and hexadecimal digits.',
    },
    insecureSkipVerify: {
      type: 'boolean',
      description: 'Accepts any certificate.',
    },
  },
  required: ['url'],
}

export const DataVolumeSourceImageIO: StructuralSchema = {
  type: 'object',
  description: 'Disk of oVirt.',
  properties: {
    url: {
      type: 'string',
      description: 'URL of the object.',
    },
    secretRef: {
      type: 'string',
      description: 'Secret with the credentials.',
    },
    certConfigMap: {
      type: 'string',
      description: 'ConfigMap with the certificates of authorities.',
    },
    diskId: {
      type: 'string',
      description: 'Identifier of the disk.',
    },
    insecureSkipVerify: {
      type: 'boolean',
      description: 'Accepts any certificate.',
    },
  },
  required: ['url', 'diskId'],
}

export const PlatformOptions: StructuralSchema = {
  type: 'object',
  description: 'Platform of an image.',
  properties: {
    architecture: {
      type: 'string',
      description: 'Architecture, such as amd64.',
    },
  },
}

export const DataVolumeSourceRegistry: StructuralSchema = {
  type: 'object',
  description: 'Image of a container registry.',
  properties: {
    url: {
      type: 'string',
      description: 'URL of the image, with the scheme `docker` or `oci-archive`.',
    },
    imageStream: {
      type: 'string',
      description: 'Name of an ImageStream of OpenShift.',
    },
    pullMethod: {
      type: 'string',
      description: 'Method of the download: `pod` or `node`.',
    },
    secretRef: {
      type: 'string',
      description: 'Secret with the credentials.',
    },
    certConfigMap: {
      type: 'string',
      description: 'ConfigMap with the certificates of authorities.',
    },
    platform: {
      ...PlatformOptions,
      description: 'Platform of the image.',
    },
  },
}

export const DataVolumeSourceS3: StructuralSchema = {
  type: 'object',
  description: 'Object of S3.',
  properties: {
    url: {
      type: 'string',
      description: 'URL of the object.',
    },
    secretRef: {
      type: 'string',
      description: 'Secret with the credentials.',
    },
    certConfigMap: {
      type: 'string',
      description: 'ConfigMap with the certificates of authorities.',
    },
  },
  required: ['url'],
}

export const DataVolumeSourceVDDK: StructuralSchema = {
  type: 'object',
  description: 'Disk of VMware.',
  properties: {
    url: {
      type: 'string',
      description: 'URL of the server.',
    },
    uuid: {
      type: 'string',
      description: 'Identifier of the VM.',
    },
    backingFile: {
      type: 'string',
      description: 'Path of the disk.',
    },
    thumbprint: {
      type: 'string',
      description: 'Thumbprint of the server\'s certificate.',
    },
    secretRef: {
      type: 'string',
      description: 'Secret with the credentials.',
    },
    certConfigMap: {
      type: 'string',
      description: 'ConfigMap with the certificates of authorities.',
    },
    initImageURL: {
      type: 'string',
      description: 'Image with VMware\'s library.',
    },
    extraArgs: {
      type: 'string',
      description: 'ConfigMap with arguments of the library.',
    },
  },
}

export const DataVolumeSourceObject: StructuralSchema = {
  type: 'object',
  description: 'Object in a namespace.',
  properties: {
    namespace: {
      type: 'string',
      description: 'Namespace of the object.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
  },
  required: ['namespace', 'name'],
}

export const DataVolumeSourceUpload: StructuralSchema = {
  type: 'object',
  description: 'Upload by a client.',
}

export const DataVolumeSource: StructuralSchema = {
  type: 'object',
  description: 'Source of the data of a DataVolume. One field is set.',
  properties: {
    blank: {
      ...DataVolumeBlankImage,
      description: 'An empty disk.',
    },
    gcs: {
      ...DataVolumeSourceGCS,
      description: 'Object of Google Cloud Storage.',
    },
    http: {
      ...DataVolumeSourceHTTP,
      description: 'File of a web server.',
    },
    imageio: {
      ...DataVolumeSourceImageIO,
      description: 'Disk of oVirt.',
    },
    registry: {
      ...DataVolumeSourceRegistry,
      description: 'Image of a container registry.',
    },
    s3: {
      ...DataVolumeSourceS3,
      description: 'Object of S3.',
    },
    vddk: {
      ...DataVolumeSourceVDDK,
      description: 'Disk of VMware.',
    },
    pvc: {
      ...DataVolumeSourceObject,
      description: 'PersistentVolumeClaim.',
    },
    snapshot: {
      ...DataVolumeSourceObject,
      description: 'VolumeSnapshot.',
    },
    upload: {
      ...DataVolumeSourceUpload,
      description: 'Upload by a client.',
    },
  },
}

export const DataVolumeSourceRef: StructuralSchema = {
  type: 'object',
  description: 'Reference to the source of the data of a DataVolume.',
  properties: {
    kind: {
      type: 'string',
      description: 'Kind of the object: DataSource.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace of the object.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
  },
  required: ['kind', 'name'],
}

export const CoreVolumeResourceRequirements: StructuralSchema = {
  type: 'object',
  description: 'Amount of storage.',
  properties: {
    limits: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'integer',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-int-or-string': true,
      },
      description: 'Maximum amount of storage.',
    },
    requests: {
      type: 'object',
      additionalProperties: {
        anyOf: [{
          type: 'integer',
        }, {
          type: 'string',
        }],
        pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-int-or-string': true,
      },
      description: 'Minimum amount of storage.',
    },
  },
}

export const CoreTypedLocalObjectReference: StructuralSchema = {
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

export const CoreTypedObjectReference: StructuralSchema = {
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

export const CorePersistentVolumeClaimSpec: StructuralSchema = {
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
      ...MetaLabelSelector,
      description: 'Label selector for the volumes that the claim can be bound to.',
    },
    resources: {
      ...CoreVolumeResourceRequirements,
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
    },
    dataSource: {
      ...CoreTypedLocalObjectReference,
      description: 'Source of the content of the volume.',
    },
    dataSourceRef: {
      ...CoreTypedObjectReference,
      description: 'Source of the content of the volume, of any kind and namespace.',
    },
    volumeAttributesClassName: {
      type: 'string',
      description: 'Name of the volume attributes class.',
    },
  },
}

export const StorageSpec: StructuralSchema = {
  type: 'object',
  description: 'PersistentVolumeClaim with defaults from the StorageProfile.',
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
      ...MetaLabelSelector,
      description: 'Label selector for the volumes that the claim can be bound to.',
    },
    resources: {
      ...CoreVolumeResourceRequirements,
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
    },
    dataSource: {
      ...CoreTypedLocalObjectReference,
      description: 'Source of the content of the volume.',
    },
    dataSourceRef: {
      ...CoreTypedObjectReference,
      description: 'Source of the content of the volume, of any kind and namespace.',
    },
    volumeAttributesClassName: {
      type: 'string',
      description: 'Name of the volume attributes class.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const DataVolumeCheckpoint: StructuralSchema = {
  type: 'object',
  description: 'State of a source that is copied after another one.',
  properties: {
    previous: {
      type: 'string',
      description: 'Identifier of the state before; empty for the first one.',
    },
    current: {
      type: 'string',
      description: 'Identifier of the state that is copied.',
    },
  },
  required: ['previous', 'current'],
}

export const DataVolumeSpec: StructuralSchema = {
  type: 'object',
  description: 'Storage and source of a DataVolume.',
  properties: {
    source: {
      ...DataVolumeSource,
      description: 'Source of the data.',
    },
    sourceRef: {
      ...DataVolumeSourceRef,
      description: 'Reference to the source of the data.',
    },
    pvc: {
      ...CorePersistentVolumeClaimSpec,
      description: 'PersistentVolumeClaim of the volume.',
    },
    storage: {
      ...StorageSpec,
      description: 'PersistentVolumeClaim with defaults from the StorageProfile.',
    },
    priorityClassName: {
      type: 'string',
      description: 'Name of the priority class of the pods that populate the volume.',
    },
    serviceAccountName: {
      type: 'string',
      description: 'Name of the service account of the pods that populate the volume.',
    },
    contentType: {
      type: 'string',
      description: 'Content type of the volume.',
      enum: ['kubevirt', 'archive'],
    },
    checkpoints: {
      type: 'array',
      items: DataVolumeCheckpoint,
      description: 'States of the source that are copied one after the other.',
    },
    finalCheckpoint: {
      type: 'boolean',
      description: 'True if no more checkpoints follow.',
    },
    preallocation: {
      type: 'boolean',
      description: 'True if the space of the volume is preallocated.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const DataImportCronTemplate: StructuralSchema = {
  type: 'object',
  description: 'Template of the DataVolumes of a DataImportCron.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'API version of the DataVolume: `cdi.kubevirt.io/v1beta1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of the object: `DataVolume`.',
    },
    metadata: {
      type: 'object',
      description: 'Labels and annotations of the DataVolume.',
      nullable: true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    spec: {
      ...DataVolumeSpec,
      description: 'Storage and source of the volume.',
    },
    status: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Unused; kept for compatibility.',
    },
  },
  required: ['spec'],
}

export const DataImportCronSpec: StructuralSchema = {
  type: 'object',
  description: 'Image and schedule of a DataImportCron.',
  properties: {
    template: {
      ...DataImportCronTemplate,
      description: 'Template of the DataVolumes.',
    },
    schedule: {
      type: 'string',
      description: 'Schedule in cron format, in which the image is looked up. Empty: on request only.',
    },
    garbageCollect: {
      type: 'string',
      description: 'Deletion of old imports: `Outdated` or `Never`; `Outdated` when absent.',
    },
    importsToKeep: {
      type: 'integer',
      format: 'int32',
      description: 'Number of imports to keep; 3 when absent.',
    },
    managedDataSource: {
      type: 'string',
      description: 'Name of the DataSource in the same namespace that points to the last import. Required.',
    },
    retentionPolicy: {
      type: 'string',
      description: 'Imports and DataSource after the deletion: `All` or `None` stay; `All` when absent.',
    },
    serviceAccountName: {
      type: 'string',
      description: 'Name of the service account that DataVolumes are created for.',
      minLength: 1,
    },
  },
  required: ['template', 'schedule'],
}

export const ImportStatus: StructuralSchema = {
  type: 'object',
  description: 'Import that is under way.',
  properties: {
    DataVolumeName: {
      type: 'string',
      description: 'Name of the DataVolume.',
    },
    Digest: {
      type: 'string',
      description: 'Digest of the image.',
    },
  },
  required: ['DataVolumeName', 'Digest'],
}

export const DataImportCronStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a DataImportCron.',
  properties: {
    currentImports: {
      type: 'array',
      items: ImportStatus,
      description: 'Imports that are under way: one at most.',
    },
    lastImportedPVC: {
      ...DataVolumeSourceObject,
      description: 'Claim of the last import.',
    },
    lastExecutionTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the image was last looked up.',
    },
    lastImportTimestamp: {
      type: 'string',
      format: 'date-time',
      description: 'Time of the last import.',
    },
    sourceFormat: {
      type: 'string',
      description: 'Format in which imports are kept: `pvc` or `snapshot`.',
    },
    conditions: {
      type: 'array',
      items: CdiCondition,
      description: 'Conditions of the DataImportCron: Progressing and UpToDate.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const DataImportCron: StructuralSchema = {
  type: 'object',
  description: 'Imports an image again whenever it changes, and keeps a DataSource up to date.',
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
      type: 'object',
    },
    spec: {
      ...DataImportCronSpec,
      description: 'Image and schedule.',
    },
    status: {
      ...DataImportCronStatus,
      description: 'Observed state.',
    },
  },
  required: ['spec'],
}

export const DataSourceSource: StructuralSchema = {
  type: 'object',
  description: 'Object with the data of a DataSource. One field is set.',
  properties: {
    pvc: {
      ...DataVolumeSourceObject,
      description: 'PersistentVolumeClaim with the data.',
    },
    snapshot: {
      ...DataVolumeSourceObject,
      description: 'VolumeSnapshot with the data.',
    },
    dataSource: {
      ...DataVolumeSourceObject,
      description: 'Another DataSource in the same namespace, which refers to no further one.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const DataSourceSpec: StructuralSchema = {
  type: 'object',
  description: 'Source of the data of a DataSource.',
  properties: {
    source: {
      ...DataSourceSource,
      description: 'Object with the data.',
    },
  },
  required: ['source'],
}

export const DataSourceStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a DataSource.',
  properties: {
    source: {
      ...DataSourceSource,
      description: 'Object that provides the data after all references are resolved.',
    },
    conditions: {
      type: 'array',
      items: CdiCondition,
      description: 'Conditions of the DataSource: Ready.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const DataSource: StructuralSchema = {
  type: 'object',
  description: 'Stable name for a source of DataVolumes. The name stays when the content is replaced.',
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
      type: 'object',
    },
    spec: {
      ...DataSourceSpec,
      description: 'Source of the data.',
    },
    status: {
      ...DataSourceStatus,
      description: 'Observed state.',
    },
  },
  required: ['spec'],
}

export const ImportSourceType: StructuralSchema = {
  type: 'object',
  description: 'Source outside of the cluster. One field is set.',
  properties: {
    blank: {
      ...DataVolumeBlankImage,
      description: 'An empty disk.',
    },
    gcs: {
      ...DataVolumeSourceGCS,
      description: 'Object of Google Cloud Storage.',
    },
    http: {
      ...DataVolumeSourceHTTP,
      description: 'File of a web server.',
    },
    imageio: {
      ...DataVolumeSourceImageIO,
      description: 'Disk of oVirt.',
    },
    registry: {
      ...DataVolumeSourceRegistry,
      description: 'Image of a container registry.',
    },
    s3: {
      ...DataVolumeSourceS3,
      description: 'Object of S3.',
    },
    vddk: {
      ...DataVolumeSourceVDDK,
      description: 'Disk of VMware.',
    },
  },
}

export const DataVolumeStatus: StructuralSchema = {
  type: 'object',
  description: 'Progress of the population of a volume.',
  properties: {
    claimName: {
      type: 'string',
      description: 'Name of the PersistentVolumeClaim.',
    },
    phase: {
      type: 'string',
      description: 'Phase of the DataVolume, as one word.',
    },
    progress: {
      type: 'string',
      description: 'Progress of the population, in percent.',
    },
    restartCount: {
      type: 'integer',
      format: 'int32',
      description: 'Number of restarts of the pod that populates the volume.',
    },
    conditions: {
      type: 'array',
      items: CdiCondition,
      description: 'Conditions of the DataVolume: Bound, Running and Ready.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const DataVolume: StructuralSchema = {
  type: 'object',
  description: 'PersistentVolumeClaim and the source of its data.',
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
      type: 'object',
    },
    spec: {
      ...DataVolumeSpec,
      description: 'Storage and source of the volume.',
    },
    status: {
      ...DataVolumeStatus,
      description: 'Progress of the population of the volume.',
    },
  },
  required: ['spec'],
}

export const TransferSource: StructuralSchema = {
  type: 'object',
  description: 'Object that is transferred.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'API version of the object.',
    },
    kind: {
      type: 'string',
      description: 'Kind of the object.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace of the object.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
    requiredAnnotations: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Annotations that the object must have.',
    },
  },
  required: ['kind', 'namespace', 'name'],
}

export const TransferTarget: StructuralSchema = {
  type: 'object',
  description: 'Target of a transfer.',
  properties: {
    namespace: {
      type: 'string',
      description: 'Namespace of the target.',
    },
    name: {
      type: 'string',
      description: 'Name of the target.',
    },
  },
}

export const ObjectTransferSpec: StructuralSchema = {
  type: 'object',
  description: 'Source and target of a transfer.',
  properties: {
    source: {
      ...TransferSource,
      description: 'Object that is transferred.',
    },
    target: {
      ...TransferTarget,
      description: 'Where to.',
    },
    parentName: {
      type: 'string',
      description: 'Name of the ObjectTransfer that this one is a part of.',
    },
  },
  required: ['source', 'target'],
}

export const ObjectTransferStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a transfer.',
  properties: {
    data: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'State of the transfer between its steps.',
    },
    phase: {
      type: 'string',
      description: 'Phase of the transfer.',
    },
    conditions: {
      type: 'array',
      items: CdiCondition,
      description: 'Conditions of the transfer.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const ObjectTransfer: StructuralSchema = {
  type: 'object',
  description: 'Transfer of a claim or a DataVolume to another namespace.',
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
      type: 'object',
    },
    spec: {
      ...ObjectTransferSpec,
      description: 'Source and target.',
    },
    status: {
      ...ObjectTransferStatus,
      description: 'Observed state.',
    },
  },
  required: ['spec'],
}

export const ClaimPropertySet: StructuralSchema = {
  type: 'object',
  description: 'Access modes and volume mode of claims.',
  properties: {
    accessModes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Access modes.',
      maxItems: 4,
    },
    volumeMode: {
      type: 'string',
      description: 'Volume mode.',
      enum: ['Block', 'Filesystem'],
    },
  },
  required: ['accessModes', 'volumeMode'],
}

export const StorageProfileSpec: StructuralSchema = {
  type: 'object',
  description: 'Wishes of the administrator for a storage class.',
  properties: {
    cloneStrategy: {
      type: 'string',
      description: 'How volumes are cloned: `copy`, `snapshot` or `csi-clone`.',
    },
    claimPropertySets: {
      type: 'array',
      items: ClaimPropertySet,
      description: 'Access modes and volume mode of claims; the first is preferred.',
      maxItems: 8,
    },
    dataImportCronSourceFormat: {
      type: 'string',
      description: 'How a DataImportCron keeps its imports: `pvc` or `snapshot`.',
    },
    snapshotClass: {
      type: 'string',
      description: 'Name of the VolumeSnapshotClass of clones.',
    },
  },
}

export const StorageProfileStatus: StructuralSchema = {
  type: 'object',
  description: 'What is used for a storage class.',
  properties: {
    cloneStrategy: {
      type: 'string',
      description: 'How volumes are cloned: `copy`, `snapshot` or `csi-clone`.',
    },
    claimPropertySets: {
      type: 'array',
      items: ClaimPropertySet,
      description: 'Access modes and volume mode of claims; the first is preferred.',
      maxItems: 8,
    },
    dataImportCronSourceFormat: {
      type: 'string',
      description: 'How a DataImportCron keeps its imports: `pvc` or `snapshot`.',
    },
    snapshotClass: {
      type: 'string',
      description: 'Name of the VolumeSnapshotClass of clones.',
    },
    storageClass: {
      type: 'string',
      description: 'Name of the storage class.',
    },
    provisioner: {
      type: 'string',
      description: 'Name of its provisioner.',
    },
    conditions: {
      type: 'array',
      items: CdiCondition,
      description: 'Conditions of the profile: Recognized.',
    },
  },
  'x-kubernetes-preserve-unknown-fields': true,
}

export const StorageProfile: StructuralSchema = {
  type: 'object',
  description: 'What claims of a storage class look like that disks of guests are in.',
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
      type: 'object',
    },
    spec: {
      ...StorageProfileSpec,
      description: 'Wishes of the administrator.',
    },
    status: {
      ...StorageProfileStatus,
      description: 'What is used.',
    },
  },
  required: ['spec'],
}

export const VolumeCloneSourceSpec: StructuralSchema = {
  type: 'object',
  description: 'Source of the data of a VolumeCloneSource.',
  properties: {
    source: {
      ...CoreTypedLocalObjectReference,
      description: 'PersistentVolumeClaim or VolumeSnapshot.',
    },
    preallocation: {
      type: 'boolean',
      description: 'True if the space of the volume is preallocated.',
    },
    priorityClassName: {
      type: 'string',
      description: 'Name of the priority class of the pods that copy.',
    },
  },
  required: ['source'],
}

export const VolumeCloneSource: StructuralSchema = {
  type: 'object',
  description: 'Volume that claims are copies of whose `dataSourceRef` names it.',
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
      type: 'object',
    },
    spec: {
      ...VolumeCloneSourceSpec,
      description: 'Source of the data.',
    },
  },
  required: ['spec'],
}

export const VolumeImportSourceSpec: StructuralSchema = {
  type: 'object',
  description: 'Source of the data of a VolumeImportSource.',
  properties: {
    source: {
      ...ImportSourceType,
      description: 'Source of the data.',
    },
    preallocation: {
      type: 'boolean',
      description: 'True if the space of the volume is preallocated.',
    },
    contentType: {
      type: 'string',
      description: 'Content type of the volume: `kubevirt` or `archive`.',
    },
    targetClaim: {
      type: 'string',
      description: 'Name of the only claim with this content, if the source is copied in several states.',
    },
    checkpoints: {
      type: 'array',
      items: DataVolumeCheckpoint,
      description: 'States of the source that are copied one after the other.',
    },
    finalCheckpoint: {
      type: 'boolean',
      description: 'True if no more checkpoints follow.',
    },
  },
}

export const VolumeImportSource: StructuralSchema = {
  type: 'object',
  description: 'Content of claims whose `dataSourceRef` names it.',
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
      type: 'object',
    },
    spec: {
      ...VolumeImportSourceSpec,
      description: 'Source of the data.',
    },
    status: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Unused.',
    },
  },
  required: ['spec'],
}

export const VolumeUploadSourceSpec: StructuralSchema = {
  type: 'object',
  description: 'Kind of the data of a VolumeUploadSource.',
  properties: {
    contentType: {
      type: 'string',
      description: 'Content type of the volume: `kubevirt` or `archive`.',
    },
    preallocation: {
      type: 'boolean',
      description: 'True if the space of the volume is preallocated.',
    },
  },
}

export const VolumeUploadSource: StructuralSchema = {
  type: 'object',
  description: 'Content of claims that clients upload. Their `dataSourceRef` names it.',
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
      type: 'object',
    },
    spec: {
      ...VolumeUploadSourceSpec,
      description: 'Kind of the data.',
    },
    status: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Unused.',
    },
  },
  required: ['spec'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  CDI: CDI,
  CDIConfig: CDIConfig,
  DataImportCron: DataImportCron,
  DataSource: DataSource,
  DataVolume: DataVolume,
  ObjectTransfer: ObjectTransfer,
  StorageProfile: StorageProfile,
  VolumeCloneSource: VolumeCloneSource,
  VolumeImportSource: VolumeImportSource,
  VolumeUploadSource: VolumeUploadSource,
}
