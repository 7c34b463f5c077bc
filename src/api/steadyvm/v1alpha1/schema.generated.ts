// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'

export const HardwareFactChange: StructuralSchema = {
  type: 'object',
  description: 'A fact that is not what it was.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the fact.',
    },
    before: {
      type: 'string',
      description: 'Previous value; absent when there was none.',
    },
    after: {
      type: 'string',
      description: 'New value; absent when it was removed.',
    },
  },
  required: ['name'],
}

export const HardwareRecordEntry: StructuralSchema = {
  type: 'object',
  description: 'Hardware that a guest has had since some moment.',
  properties: {
    fingerprint: {
      type: 'string',
      description: 'SHA-256 of its facts.',
    },
    since: {
      type: 'string',
      format: 'date-time',
      description: 'When the guest was first seen with it.',
    },
    reason: {
      type: 'string',
      description: 'Why it is another than before, in one word.',
    },
    qemu: {
      type: 'string',
      description: 'Version of the QEMU that it was first seen in.',
    },
    release: {
      type: 'string',
      description: 'Image of the launcher that it was first seen in.',
    },
    node: {
      type: 'string',
      description: 'Node that it was first seen on.',
    },
    specification: {
      type: 'string',
      description: 'Revision that holds what the machine was started from.',
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
  description: 'Hardware that the guest of a VM sees, and its history. It has the name of the VM, and is deleted with it.',
  properties: {
    apiVersion: {
      type: 'string',
      description: 'Group and version of the schema of this object: `kubevirt.io/v1`.',
    },
    kind: {
      type: 'string',
      description: 'Kind of this object in camel case.',
    },
    metadata: {
      type: 'object',
    },
    version: {
      type: 'integer',
      format: 'int32',
      description: 'How hardware is written down. Records of different versions cannot be compared.',
    },
    fingerprint: {
      type: 'string',
      description: 'SHA-256 of the facts: the same for the same hardware, in each release of QEMU.',
    },
    launch: {
      type: 'string',
      description: 'Digest of what the guest was launched with. A guest that is launched with the same has the same hardware.',
    },
    facts: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Facts that the guest sees, by names such as `device dev-root: serial`.',
    },
    history: {
      type: 'array',
      items: HardwareRecordEntry,
      description: 'How the hardware came to be what it is, newest first. The first is the hardware of today. The oldest are forgotten.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['version', 'fingerprint', 'launch', 'facts', 'history'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  HardwareRecord: HardwareRecord,
}
