// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const PriorityLevelConfigurationReference: StructuralSchema = {
  type: 'object',
  description: 'Reference to a priority level.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the PriorityLevelConfiguration.',
    },
  },
}

export const FlowDistinguisherMethod: StructuralSchema = {
  type: 'object',
  description: 'Method for telling flows apart.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the method: ByUser or ByNamespace.',
    },
  },
}

export const UserSubject: StructuralSchema = {
  type: 'object',
  description: 'User of a request.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the user; `*` matches all.',
    },
  },
}

export const GroupSubject: StructuralSchema = {
  type: 'object',
  description: 'Group of users.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the group; `*` matches all.',
    },
  },
}

export const ServiceAccountSubject: StructuralSchema = {
  type: 'object',
  description: 'Service account.',
  properties: {
    namespace: {
      type: 'string',
      description: 'Namespace of the account.',
    },
    name: {
      type: 'string',
      description: 'Name of the account; `*` matches all of the namespace.',
    },
  },
}

export const FlowSubject: StructuralSchema = {
  type: 'object',
  description: 'User, group or service account.',
  properties: {
    kind: {
      type: 'string',
      description: 'Kind of the subject: User, Group or ServiceAccount.',
    },
    user: {
      ...UserSubject,
      description: 'User, for the kind User.',
    },
    group: {
      ...GroupSubject,
      description: 'Group, for the kind Group.',
    },
    serviceAccount: {
      ...ServiceAccountSubject,
      description: 'Service account, for the kind ServiceAccount.',
    },
  },
  required: ['kind'],
}

export const ResourcePolicyRule: StructuralSchema = {
  type: 'object',
  description: 'Requests for resources.',
  properties: {
    verbs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Verbs; `*` matches all.',
      'x-kubernetes-list-type': 'set',
    },
    apiGroups: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'API groups; `*` matches all.',
      'x-kubernetes-list-type': 'set',
    },
    resources: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Resources, with their subresource after a slash; `*` matches all.',
      'x-kubernetes-list-type': 'set',
    },
    clusterScope: {
      type: 'boolean',
      description: 'True if requests without a namespace match.',
    },
    namespaces: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Namespaces; `*` matches all.',
      'x-kubernetes-list-type': 'set',
    },
  },
}

export const NonResourcePolicyRule: StructuralSchema = {
  type: 'object',
  description: 'Requests for paths that are no resources.',
  properties: {
    verbs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Verbs; `*` matches all.',
      'x-kubernetes-list-type': 'set',
    },
    nonResourceURLs: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Paths; `*` at the end matches every rest.',
      'x-kubernetes-list-type': 'set',
    },
  },
}

export const PolicyRulesWithSubjects: StructuralSchema = {
  type: 'object',
  description: 'Rule that matches requests of some users.',
  properties: {
    subjects: {
      type: 'array',
      items: FlowSubject,
      description: 'Users, groups and service accounts.',
      'x-kubernetes-list-type': 'atomic',
    },
    resourceRules: {
      type: 'array',
      items: ResourcePolicyRule,
      description: 'Requests for resources.',
      'x-kubernetes-list-type': 'atomic',
    },
    nonResourceRules: {
      type: 'array',
      items: NonResourcePolicyRule,
      description: 'Requests for other paths.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const FlowSchemaSpec: StructuralSchema = {
  type: 'object',
  description: 'Requests and their priority level.',
  properties: {
    priorityLevelConfiguration: {
      ...PriorityLevelConfigurationReference,
      description: 'Priority level of the requests.',
    },
    matchingPrecedence: {
      type: 'integer',
      format: 'int32',
      description: 'Order among the FlowSchemas: a request belongs to the first one that matches.',
      default: 1000,
    },
    distinguisherMethod: {
      ...FlowDistinguisherMethod,
      description: 'Method for telling flows apart. All requests are one flow without it.',
    },
    rules: {
      type: 'array',
      items: PolicyRulesWithSubjects,
      description: 'Rules, of which one must match.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const FlowControlCondition: StructuralSchema = {
  type: 'object',
  description: 'Condition of a FlowSchema or a PriorityLevelConfiguration.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the condition: Dangling.',
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
}

export const FlowControlStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of a FlowSchema or a PriorityLevelConfiguration.',
  properties: {
    conditions: {
      type: 'array',
      items: FlowControlCondition,
      description: 'Conditions of the object.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'type',
    },
  },
}

export const FlowSchema: StructuralSchema = {
  type: 'object',
  description: 'Assigns requests to priority levels.',
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
      ...FlowSchemaSpec,
      description: 'Requests and their priority level.',
    },
    status: {
      ...FlowControlStatus,
      description: 'Observed state of the FlowSchema.',
    },
  },
}

export const QueuingConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Queues of a priority level.',
  properties: {
    queues: {
      type: 'integer',
      format: 'int32',
      description: 'Number of queues.',
      default: 64,
    },
    handSize: {
      type: 'integer',
      format: 'int32',
      description: 'Number of queues among which a flow chooses.',
      default: 8,
    },
    queueLengthLimit: {
      type: 'integer',
      format: 'int32',
      description: 'Number of requests that may wait in a queue.',
      default: 50,
    },
  },
}

export const LimitResponse: StructuralSchema = {
  type: 'object',
  description: 'Treatment of requests beyond the limit.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the treatment: Queue or Reject.',
    },
    queuing: {
      ...QueuingConfiguration,
      description: 'Queues, for the type Queue.',
    },
  },
}

export const LimitedPriorityLevelConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Limits of a priority level.',
  properties: {
    nominalConcurrencyShares: {
      type: 'integer',
      format: 'int32',
      description: 'Share of the concurrent requests of the server.',
      default: 30,
    },
    limitResponse: {
      ...LimitResponse,
      description: 'Treatment of requests beyond the limit.',
    },
    lendablePercent: {
      type: 'integer',
      format: 'int32',
      description: 'Percentage of the limit that other levels may borrow.',
      default: 0,
    },
    borrowingLimitPercent: {
      type: 'integer',
      format: 'int32',
      description: 'Percentage of the limit that this level may borrow.',
    },
  },
}

export const ExemptPriorityLevelConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Reservation of an exempt priority level.',
  properties: {
    nominalConcurrencyShares: {
      type: 'integer',
      format: 'int32',
      description: 'Share of the concurrent requests of the server that is reserved.',
      default: 0,
    },
    lendablePercent: {
      type: 'integer',
      format: 'int32',
      description: 'Percentage of the reservation that other levels may borrow.',
      default: 0,
    },
  },
}

export const PriorityLevelConfigurationSpec: StructuralSchema = {
  type: 'object',
  description: 'Type of a priority level and its limits.',
  properties: {
    type: {
      type: 'string',
      description: 'Type of the priority level: Exempt or Limited.',
    },
    limited: {
      ...LimitedPriorityLevelConfiguration,
      description: 'Limits, for the type Limited.',
    },
    exempt: {
      ...ExemptPriorityLevelConfiguration,
      description: 'Reservation, for the type Exempt.',
    },
  },
}

export const PriorityLevelConfiguration: StructuralSchema = {
  type: 'object',
  description: 'Limit on the number of concurrent requests of a priority level.',
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
      ...PriorityLevelConfigurationSpec,
      description: 'Type of the priority level and its limits.',
    },
    status: {
      ...FlowControlStatus,
      description: 'Observed state of the PriorityLevelConfiguration.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  FlowSchema: FlowSchema,
  PriorityLevelConfiguration: PriorityLevelConfiguration,
}
