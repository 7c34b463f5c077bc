// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

export const ComponentPatchOperation: StructuralSchema = {
  type: 'object',
  description: 'Operation of a JSON patch (RFC 6902).',
  properties: {
    op: {
      type: 'string',
      description: 'Operation.',
      enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'],
    },
    path: {
      type: 'string',
      description: 'Path of the value: below the spec, a label or an annotation.',
      pattern: '^/(spec|metadata/labels|metadata/annotations)/.',
      maxLength: 1024,
    },
    from: {
      type: 'string',
      description: 'Path of the value that is moved or copied.',
      pattern: '^/(spec|metadata/labels|metadata/annotations)/.',
      maxLength: 1024,
    },
    value: {
      'x-kubernetes-preserve-unknown-fields': true,
      description: 'Value that is added, or tested for.',
    },
  },
  required: ['op', 'path'],
  'x-kubernetes-validations': [{
    rule: '!(self.op in [\'move\', \'copy\']) || has(self.from)',
    message: 'move and copy need from',
  }],
}

export const ComponentOverrideSpec: StructuralSchema = {
  type: 'object',
  description: 'Change of the object of a component.',
  properties: {
    component: {
      type: 'string',
      description: 'Component whose object is changed.',
      enum: ['kubevirt', 'cdi', 'network-addons', 'aaq', 'migration', 'file-restore', 'ssp'],
    },
    patch: {
      type: 'array',
      items: ComponentPatchOperation,
      description: 'Operations on the rendered object. They are applied all or not at all.',
      minItems: 1,
      maxItems: 64,
      'x-kubernetes-list-type': 'atomic',
    },
    owner: {
      type: 'string',
      description: 'Person or team that answers for the override.',
      minLength: 1,
      maxLength: 256,
    },
    reason: {
      type: 'string',
      description: 'Reason for the override.',
      minLength: 1,
      maxLength: 1024,
    },
    expiresAt: {
      type: 'string',
      format: 'date-time',
      description: 'Time from which the override is not applied any more. Default: never.',
    },
  },
  required: ['component', 'patch', 'owner', 'reason'],
}

export const MetaCondition: StructuralSchema = {
  type: 'object',
  description: '`metav1.Condition`, and the older condition shapes that lack some of its fields.',
  properties: {
    type: {
      type: 'string',
    },
    status: {
      type: 'string',
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
    },
    lastProbeTime: {
      type: 'string',
      nullable: true,
      format: 'date-time',
    },
    lastTransitionTime: {
      type: 'string',
      nullable: true,
      format: 'date-time',
    },
    reason: {
      type: 'string',
    },
    message: {
      type: 'string',
    },
  },
  required: ['type', 'status'],
}

export const ComponentOverrideStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of an override.',
  properties: {
    conditions: {
      type: 'array',
      items: MetaCondition,
      description: 'Condition Applied: whether the override is part of the object of its component.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation of the spec that the status refers to.',
    },
  },
}

export const ComponentOverride: StructuralSchema = {
  type: 'object',
  description: 'Change of the object of a component of HyperConverged that no field of HyperConverged expresses. It is applied to the rendered object, and says who needs it, why, and until when.',
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
      ...ComponentOverrideSpec,
      description: 'What is changed, and why.',
    },
    status: {
      ...ComponentOverrideStatus,
      description: 'Observed state of the override.',
    },
  },
  required: ['spec'],
}

export const HardwareFactChange: StructuralSchema = {
  type: 'object',
  description: 'Fact whose value differs from that of the previous hardware.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the fact.',
    },
    before: {
      type: 'string',
      description: 'Previous value; absent when the fact is new.',
    },
    after: {
      type: 'string',
      description: 'New value; absent when the fact was removed.',
    },
  },
  required: ['name'],
}

export const HardwareRecordEntry: StructuralSchema = {
  type: 'object',
  description: 'Hardware that a guest had from some point in time.',
  properties: {
    fingerprint: {
      type: 'string',
      description: 'SHA-256 of the facts.',
    },
    since: {
      type: 'string',
      format: 'date-time',
      description: 'Time at which the guest was first observed with this hardware.',
    },
    reason: {
      type: 'string',
      description: 'Reason for the difference from the previous hardware, as one word in CamelCase.',
    },
    qemu: {
      type: 'string',
      description: 'Version of QEMU in which the hardware was first observed.',
    },
    release: {
      type: 'string',
      description: 'Image of the launcher in which the hardware was first observed.',
    },
    node: {
      type: 'string',
      description: 'Name of the node on which the hardware was first observed.',
    },
    specification: {
      type: 'string',
      description: 'Name of the ControllerRevision with the spec that the VM was started from.',
    },
    changes: {
      type: 'array',
      items: HardwareFactChange,
      description: 'Differences from the previous hardware.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['fingerprint', 'since', 'reason', 'qemu'],
}

export const HardwareRecord: StructuralSchema = {
  type: 'object',
  description: 'Hardware that is visible to the guest of a VM, and its history. A HardwareRecord has the name of the VM and is deleted with the VM.',
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
    version: {
      type: 'integer',
      format: 'int32',
      description: 'Version of the format of the facts. Records of different versions cannot be compared.',
    },
    fingerprint: {
      type: 'string',
      description: 'SHA-256 of the facts. The same hardware has the same fingerprint in each release of QEMU.',
    },
    launch: {
      type: 'string',
      description: 'Digest of the launch arguments of the guest. Launches with the same digest have the same hardware.',
    },
    facts: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Facts about the hardware visible to the guest, by names such as `device dev-root: serial`.',
    },
    history: {
      type: 'array',
      items: HardwareRecordEntry,
      description: 'History of the hardware, newest entry first. The first entry is the current hardware. The oldest entries are removed.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['version', 'fingerprint', 'launch', 'facts', 'history'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  ComponentOverride: ComponentOverride,
  HardwareRecord: HardwareRecord,
}
