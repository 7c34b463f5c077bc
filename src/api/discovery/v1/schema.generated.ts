// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectReference } from '#api/core/v1/schema.generated.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const EndpointConditions: StructuralSchema = {
  type: 'object',
  description: 'Whether addresses can be used.',
  properties: {
    ready: {
      type: 'boolean',
      description: 'Ready for traffic.',
    },
    serving: {
      type: 'boolean',
      description: 'Serving, even when terminating.',
    },
    terminating: {
      type: 'boolean',
      description: 'On its way out.',
    },
  },
}

export const ForZone: StructuralSchema = {
  type: 'object',
  description: 'A zone.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the zone.',
    },
  },
  required: ['name'],
}

export const ForNode: StructuralSchema = {
  type: 'object',
  description: 'A node.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the node.',
    },
  },
  required: ['name'],
}

export const EndpointHints: StructuralSchema = {
  type: 'object',
  description: 'Where an address should be used from.',
  properties: {
    forZones: {
      type: 'array',
      items: ForZone,
      description: 'Zones.',
      'x-kubernetes-list-type': 'atomic',
    },
    forNodes: {
      type: 'array',
      items: ForNode,
      description: 'Nodes.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const Endpoint: StructuralSchema = {
  type: 'object',
  description: 'The addresses of one pod.',
  properties: {
    addresses: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'The addresses.',
      'x-kubernetes-list-type': 'set',
    },
    conditions: {
      ...EndpointConditions,
      description: 'Whether they can be used.',
    },
    hostname: {
      type: 'string',
      description: 'Host name.',
    },
    targetRef: {
      ...ObjectReference,
      description: 'The pod.',
    },
    deprecatedTopology: {
      type: 'object',
      additionalProperties: {
        type: 'string',
      },
      description: 'Deprecated topology labels.',
    },
    nodeName: {
      type: 'string',
      description: 'Node of the pod.',
    },
    zone: {
      type: 'string',
      description: 'Zone of the node.',
    },
    hints: {
      ...EndpointHints,
      description: 'Where it should be used from.',
    },
  },
  required: ['addresses'],
}

export const EndpointSlicePort: StructuralSchema = {
  type: 'object',
  description: 'A port of a slice.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the port.',
    },
    protocol: {
      type: 'string',
      description: 'TCP, UDP or SCTP.',
      default: 'TCP',
    },
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port number.',
    },
    appProtocol: {
      type: 'string',
      description: 'Protocol above TCP.',
    },
  },
}

export const EndpointSlice: StructuralSchema = {
  type: 'object',
  description: 'A part of the addresses behind a service.',
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
      ...ObjectMeta,
      description: 'Name, labels and bookkeeping of the object.',
    },
    addressType: {
      type: 'string',
      description: 'IPv4, IPv6 or FQDN.',
    },
    endpoints: {
      type: 'array',
      items: Endpoint,
      description: 'The addresses. Go clients send null for none.',
      'x-kubernetes-list-type': 'atomic',
    },
    ports: {
      type: 'array',
      items: EndpointSlicePort,
      description: 'The ports of all of them.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['addressType'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  EndpointSlice: EndpointSlice,
}
