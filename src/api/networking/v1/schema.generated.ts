// Made by tools/generate from the interfaces beside it. Do not edit: run `npm run generate`.
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { TypedLocalObjectReference } from '#api/core/v1/schema.generated.ts'
import { LabelSelector, ObjectMeta } from '#api/meta/v1/schema.generated.ts'

export const ServiceBackendPort: StructuralSchema = {
  type: 'object',
  description: 'A port, by name or number.',
  properties: {
    name: {
      type: 'string',
      description: 'Its name.',
    },
    number: {
      type: 'integer',
      format: 'int32',
      description: 'Its number.',
    },
  },
  'x-kubernetes-map-type': 'atomic',
}

export const IngressServiceBackend: StructuralSchema = {
  type: 'object',
  description: 'A port of a service.',
  properties: {
    name: {
      type: 'string',
      description: 'Name of the service.',
    },
    port: {
      ...ServiceBackendPort,
      description: 'The port.',
    },
  },
  required: ['name'],
}

export const IngressBackend: StructuralSchema = {
  type: 'object',
  description: 'Where requests go: a service, or any object that the controller knows.',
  properties: {
    service: {
      ...IngressServiceBackend,
      description: 'A service.',
    },
    resource: {
      ...TypedLocalObjectReference,
      description: 'Some other object of the namespace.',
    },
  },
}

export const IngressTLS: StructuralSchema = {
  type: 'object',
  description: 'A certificate, and the hosts it is for.',
  properties: {
    hosts: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Hosts.',
      'x-kubernetes-list-type': 'atomic',
    },
    secretName: {
      type: 'string',
      description: 'Secret with the certificate.',
    },
  },
}

export const HTTPIngressPath: StructuralSchema = {
  type: 'object',
  description: 'A path, and where it leads.',
  properties: {
    path: {
      type: 'string',
      description: 'The path.',
    },
    pathType: {
      type: 'string',
      description: 'Exact, Prefix or ImplementationSpecific.',
    },
    backend: {
      ...IngressBackend,
      description: 'Where requests go.',
    },
  },
  required: ['pathType', 'backend'],
}

export const HTTPIngressRuleValue: StructuralSchema = {
  type: 'object',
  description: 'Paths of a host.',
  properties: {
    paths: {
      type: 'array',
      items: HTTPIngressPath,
      description: 'The paths.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['paths'],
}

export const IngressRule: StructuralSchema = {
  type: 'object',
  description: 'Where requests for a host go.',
  properties: {
    host: {
      type: 'string',
      description: 'The host; none: all.',
    },
    http: {
      ...HTTPIngressRuleValue,
      description: 'Paths.',
    },
  },
}

export const IngressSpec: StructuralSchema = {
  type: 'object',
  description: 'Desired state of an ingress.',
  properties: {
    ingressClassName: {
      type: 'string',
      description: 'Name of the class, and so of the controller that is in charge.',
    },
    defaultBackend: {
      ...IngressBackend,
      description: 'Where what no rule matches goes.',
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
      description: 'Where requests go.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const IngressPortStatus: StructuralSchema = {
  type: 'object',
  description: 'A port of an address.',
  properties: {
    port: {
      type: 'integer',
      format: 'int32',
      description: 'Number.',
    },
    protocol: {
      type: 'string',
      description: 'TCP, UDP or SCTP.',
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
  description: 'One address from outside.',
  properties: {
    ip: {
      type: 'string',
      description: 'Address.',
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
  description: 'Addresses from outside.',
  properties: {
    ingress: {
      type: 'array',
      items: IngressLoadBalancerIngress,
      description: 'The addresses.',
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
      description: 'Addresses from outside.',
    },
  },
}

export const Ingress: StructuralSchema = {
  type: 'object',
  description: 'Lets HTTP traffic from outside in, by host and path.',
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
    spec: {
      ...IngressSpec,
      description: 'Desired state.',
    },
    status: {
      ...IngressStatus,
      description: 'Observed state.',
    },
  },
}

export const IngressClassParametersReference: StructuralSchema = {
  type: 'object',
  description: 'Where the settings of a class are.',
  properties: {
    apiGroup: {
      type: 'string',
      description: 'API group.',
    },
    kind: {
      type: 'string',
      description: 'Kind.',
    },
    name: {
      type: 'string',
      description: 'Name.',
    },
    scope: {
      type: 'string',
      description: 'Cluster or Namespace.',
    },
    namespace: {
      type: 'string',
      description: 'Namespace.',
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
      description: 'More settings, in an object.',
    },
  },
}

export const IngressClass: StructuralSchema = {
  type: 'object',
  description: 'Names the controller of ingresses.',
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
    spec: {
      ...IngressClassSpec,
      description: 'Desired state.',
    },
  },
}

export const NetworkPolicyPort: StructuralSchema = {
  type: 'object',
  description: 'A port, or a range of ports.',
  properties: {
    protocol: {
      type: 'string',
      description: 'TCP, UDP or SCTP.',
    },
    port: {
      anyOf: [{
        type: 'integer',
      }, {
        type: 'string',
      }],
      'x-kubernetes-int-or-string': true,
      description: 'Number or name.',
    },
    endPort: {
      type: 'integer',
      format: 'int32',
      description: 'Last port of a range.',
    },
  },
}

export const IPBlock: StructuralSchema = {
  type: 'object',
  description: 'A range of addresses.',
  properties: {
    cidr: {
      type: 'string',
      description: 'The range: `192.168.1.0/24`.',
    },
    except: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Ranges within it that are left out.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
  required: ['cidr'],
}

export const NetworkPolicyPeer: StructuralSchema = {
  type: 'object',
  description: 'Another side of the traffic.',
  properties: {
    podSelector: {
      ...LabelSelector,
      description: 'Pods, of this namespace or of the chosen ones.',
    },
    namespaceSelector: {
      ...LabelSelector,
      description: 'Namespaces.',
    },
    ipBlock: {
      ...IPBlock,
      description: 'Addresses.',
    },
  },
}

export const NetworkPolicyIngressRule: StructuralSchema = {
  type: 'object',
  description: 'Traffic that may come in.',
  properties: {
    ports: {
      type: 'array',
      items: NetworkPolicyPort,
      description: 'To which ports; none: to all.',
      'x-kubernetes-list-type': 'atomic',
    },
    from: {
      type: 'array',
      items: NetworkPolicyPeer,
      description: 'From where; none: from everywhere.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const NetworkPolicyEgressRule: StructuralSchema = {
  type: 'object',
  description: 'Traffic that may go out.',
  properties: {
    ports: {
      type: 'array',
      items: NetworkPolicyPort,
      description: 'To which ports; none: to all.',
      'x-kubernetes-list-type': 'atomic',
    },
    to: {
      type: 'array',
      items: NetworkPolicyPeer,
      description: 'Where to; none: everywhere.',
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
      description: 'Pods that the policy is for; an empty selector chooses all of the namespace.',
    },
    ingress: {
      type: 'array',
      items: NetworkPolicyIngressRule,
      description: 'Traffic that may come in.',
      'x-kubernetes-list-type': 'atomic',
    },
    egress: {
      type: 'array',
      items: NetworkPolicyEgressRule,
      description: 'Traffic that may go out.',
      'x-kubernetes-list-type': 'atomic',
    },
    policyTypes: {
      type: 'array',
      items: {
        type: 'string',
      },
      description: 'Directions that the policy is about: Ingress, Egress.',
      'x-kubernetes-list-type': 'atomic',
    },
  },
}

export const NetworkPolicy: StructuralSchema = {
  type: 'object',
  description: 'Says which traffic pods may receive and send.',
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
    spec: {
      ...NetworkPolicySpec,
      description: 'Desired state.',
    },
  },
}

/** Schemas by kind. */
export const schemas: Readonly<Record<string, StructuralSchema>> = {
  Ingress: Ingress,
  IngressClass: IngressClass,
  NetworkPolicy: NetworkPolicy,
}
