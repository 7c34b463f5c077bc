// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

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
  HardwareRecord: HardwareRecord,
}
