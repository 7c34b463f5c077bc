// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { TypedLocalObjectReference } from '#api/core/v1/schema.generated.ts'
import { LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const ServiceBackendPort: StructuralSchema = {
  type: 'object',
  description: 'Port of a service, by name or number.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the port.',
    },
    number: {
      type: 'integer',
      format: 'int32',
      description: 'Port number.',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const IngressServiceBackend: StructuralSchema = {
  type: 'object',
  description: 'Service and its port.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the service.',
    },
    port: {
      ...ServiceBackendPort,
      description: 'Port of the service.',
    },
  },
  required: ['name'],
}

export const IngressBackend: StructuralSchema = {
  type: 'object',
  description: 'Backend for requests: a service, or any object that the controller supports.',
  properties: {
    service: {
      ...IngressServiceBackend,
      description: 'Service and its port.',
    },
    resource: {
      ...TypedLocalObjectReference,
      description: 'Reference to another object in the namespace.',
    },
  },
}

export const IngressTLS: StructuralSchema = {
  type: 'object',
  description: 'Certificate for hosts.',
  properties: {
    hosts: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Host names that the certificate is for.',
      'x-kubernetes-list-type': 'atomic',
    },
    secretName: {
      type: 'string',
      description: 'Name of the Secret with the certificate.',
    },
  },
}

export const HTTPIngressPath: StructuralSchema = {
  type: 'object',
  description: 'Path and its backend.',
  properties: {
    path: {
      type: 'string',
      description: 'Path of the URL.',
    },
    pathType: {
      type: 'string',
      description: 'Type of the path match: Exact, Prefix or ImplementationSpecific.',
    },
    backend: {
      ...IngressBackend,
      description: 'Backend for the requests.',
    },
  },
  required: ['pathType', 'backend'],
}

export const HTTPIngressRuleValue: StructuralSchema = {
  type: 'object',
  description: 'Paths of a host and their backends.',
  properties: {
    paths: {
      type: 'array',
      items: HTTPIngressPath,
      description: 'Paths and their backends.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['paths'],
}

export const IngressRule: StructuralSchema = {
  type: 'object',
  description: 'Routing rule of the requests to a host.',
  properties: {
    host: {
      type: 'string',
      description: 'Host name; all hosts when absent.',
    },
    http: {
      ...HTTPIngressRuleValue,
      description: 'Paths and their backends.',
    },
  },
}

export const IngressSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of an ingress.',
  properties: {
    ingressClassName: {
      type: 'string',
      description: 'Name of the IngressClass, which determines the responsible controller.',
    },
    defaultBackend: {
      ...IngressBackend,
      description: 'Backend for requests that match no rule.',
    },
    tls: {
      type: 'array',
      items: IngressTLS,
      description: 'Certificates by host.',
      'x-kubernetes-list-type': 'atomic',
    },
    rules: {
      type: 'array',
      items: IngressRule,
      description: 'Routing rules of requests.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const IngressPortStatus: StructuralSchema = {
  type: 'object',
  description: 'Port of an external address.',
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
      description: 'Error message.',
    },
  },
  required: ['port', 'protocol'],
}

export const IngressLoadBalancerIngress: StructuralSchema = {
  type: 'object',
  description: 'External address of an ingress.',
  properties: {
    ip: {
      type: 'string',
      description: 'IP address.',
    },
    hostname: {
      type: 'string',
      description: 'Host name.',
    },
    ports: {
      type: 'array',
      items: IngressPortStatus,
      description: 'Open ports.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const IngressLoadBalancerStatus: StructuralSchema = {
  type: 'object',
  description: 'External addresses of an ingress.',
  properties: {
    ingress: {
      type: 'array',
      items: IngressLoadBalancerIngress,
      description: 'External addresses.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const IngressStatus: StructuralSchema = {
  type: 'object',
  description: 'Observed state of an ingress.',
  properties: {
    loadBalancer: {
      ...IngressLoadBalancerStatus,
      description: 'External addresses of the ingress.',
    },
  },
}

export const Ingress: StructuralSchema = {
  type: 'object',
  description: 'Routes external HTTP traffic to backends by host and path.',
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
      ...IngressSpec,
      description: 'Desired state of the Ingress.',
    },
    status: {
      ...IngressStatus,
      description: 'Observed state of the Ingress.',
    },
  },
}

export const IngressClassParametersReference: StructuralSchema = {
  type: 'object',
  description: 'Reference to the object with the settings of a class.',
  properties: {
    apiGroup: {
      type: 'string',
      description: 'API group of the object.',
    },
    kind: {
      type: 'string',
      description: 'Kind of the object.',
    },
    name: {
      type: 'string',
      description: 'Name of the object.',
    },
    scope: {
      type: 'string',
      description: 'Scope of the object: Cluster or Namespace.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace of the object.',
    },
  },
  required: ['kind', 'name'],
}

export const IngressClassSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a class of ingresses.',
  properties: {
    controller: {
      type: 'string',
      description: 'Name of the controller: `example.com/ingress`.',
    },
    parameters: {
      ...IngressClassParametersReference,
      description: 'Reference to an object with additional settings.',
    },
  },
}

export const IngressClass: StructuralSchema = {
  type: 'object',
  description: 'Class of ingresses, with the responsible controller.',
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
      ...IngressClassSpec,
      description: 'Desired state of the IngressClass.',
    },
  },
}

export const NetworkPolicyPort: StructuralSchema = {
  type: 'object',
  description: 'Port, or range of ports.',
  properties: {
    protocol: {
      type: 'string',
      description: 'Protocol of the port: TCP, UDP or SCTP.',
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
    endPort: {
      type: 'integer',
      format: 'int32',
      description: 'Last port of the range.',
    },
  },
}

export const IPBlock: StructuralSchema = {
  type: 'object',
  description: 'Range of IP addresses.',
  properties: {
    cidr: {
      type: 'string',
      description: 'Range in CIDR notation: `192.168.1.0/24`.',
    },
    except: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Ranges within the CIDR that are excluded.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['cidr'],
}

export const NetworkPolicyPeer: StructuralSchema = {
  type: 'object',
  description: 'Source or destination of traffic.',
  properties: {
    podSelector: {
      ...LabelSelector,
      description: 'Label selector for pods in the namespace of the policy or in the selected namespaces.',
    },
    namespaceSelector: {
      ...LabelSelector,
      description: 'Label selector for namespaces.',
    },
    ipBlock: {
      ...IPBlock,
      description: 'Range of IP addresses.',
    },
  },
}

export const NetworkPolicyIngressRule: StructuralSchema = {
  type: 'object',
  description: 'Rule for allowed incoming traffic.',
  properties: {
    ports: {
      type: 'array',
      items: NetworkPolicyPort,
      description: 'Destination ports; all ports when empty.',
      'x-kubernetes-list-type': 'atomic',
    },
    from: {
      type: 'array',
      items: NetworkPolicyPeer,
      description: 'Sources of the traffic; all sources when empty.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const NetworkPolicyEgressRule: StructuralSchema = {
  type: 'object',
  description: 'Rule for allowed outgoing traffic.',
  properties: {
    ports: {
      type: 'array',
      items: NetworkPolicyPort,
      description: 'Destination ports; all ports when empty.',
      'x-kubernetes-list-type': 'atomic',
    },
    to: {
      type: 'array',
      items: NetworkPolicyPeer,
      description: 'Destinations of the traffic; all destinations when empty.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const NetworkPolicySpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of a policy.',
  properties: {
    podSelector: {
      ...LabelSelector,
      description: 'Label selector for the pods that the policy applies to. An empty selector selects all pods of the namespace.',
    },
    ingress: {
      type: 'array',
      items: NetworkPolicyIngressRule,
      description: 'Rules for allowed incoming traffic.',
      'x-kubernetes-list-type': 'atomic',
    },
    egress: {
      type: 'array',
      items: NetworkPolicyEgressRule,
      description: 'Rules for allowed outgoing traffic.',
      'x-kubernetes-list-type': 'atomic',
    },
    policyTypes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Directions that the policy applies to: Ingress, Egress.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const NetworkPolicy: StructuralSchema = {
  type: 'object',
  description: 'Allowed incoming and outgoing traffic of pods.',
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
      ...NetworkPolicySpec,
      description: 'Desired state of the NetworkPolicy.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  Ingress: Ingress,
  IngressClass: IngressClass,
  NetworkPolicy: NetworkPolicy,
}
