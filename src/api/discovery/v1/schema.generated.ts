// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { ObjectReference } from '#api/core/v1/schema.generated.ts'
import { ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const EndpointConditions: StructuralSchema = {
  type: 'object',
  description: 'Conditions of an endpoint.',
  properties: {
    ready: {
      type: 'boolean',
      description: 'True if the endpoint is ready for traffic.',
    },
    serving: {
      type: 'boolean',
      description: 'True if the endpoint serves traffic, even while terminating.',
    },
    terminating: {
      type: 'boolean',
      description: 'True if the endpoint is terminating.',
    },
  },
}

export const ForZone: StructuralSchema = {
  type: 'object',
  description: 'Zone from which an endpoint should be used.',
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
  description: 'Node from which an endpoint should be used.',
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
  description: 'Zones and nodes from which an endpoint should be used.',
  properties: {
    forZones: {
      type: 'array',
      items: ForZone,
      description: 'Zones from which the endpoint should be used.',
      'x-kubernetes-list-type': 'atomic',
    },
    forNodes: {
      type: 'array',
      items: ForNode,
      description: 'Nodes from which the endpoint should be used.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const Endpoint: StructuralSchema = {
  type: 'object',
  description: 'Addresses of one pod.',
  properties: {
    addresses: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Addresses of the endpoint.',
      'x-kubernetes-list-type': 'set',
    },
    conditions: {
      ...EndpointConditions,
      description: 'Conditions of the endpoint.',
    },
    hostname: {
      type: 'string',
      description: 'Host name of the endpoint.',
    },
    targetRef: {
      ...ObjectReference,
      description: 'Reference to the pod.',
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
      description: 'Name of the node of the pod.',
    },
    zone: {
      type: 'string',
      description: 'Zone of the node.',
    },
    hints: {
      ...EndpointHints,
      description: 'Zones and nodes from which the endpoint should be used.',
    },
  },
  required: ['addresses'],
}

export const EndpointSlicePort: StructuralSchema = {
  type: 'object',
  description: 'Port of an EndpointSlice.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the port.',
    },
    protocol: {
      type: 'string',
      description: 'Protocol of the port: TCP, UDP or SCTP.',
      default: 'TCP',
    },
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Port number.',
    },
    appProtocol: {
      type: 'string',
      description: 'Application protocol, on top of the transport protocol.',
    },
  },
}

export const EndpointSlice: StructuralSchema = {
  type: 'object',
  description: 'Part of the endpoints of a Service.',
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
    addressType: {
      type: 'string',
      description: 'Type of the addresses: IPv4, IPv6 or FQDN.',
    },
    endpoints: {
      type: 'array',
      items: Endpoint,
      description: 'Endpoints of the slice. Go clients send null for an empty list.',
      'x-kubernetes-list-type': 'atomic',
    },
    ports: {
      type: 'array',
      items: EndpointSlicePort,
      description: 'Ports of all endpoints of the slice.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['addressType'],
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  EndpointSlice: EndpointSlice,
}
