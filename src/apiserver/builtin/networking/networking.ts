import type { Ingress, IngressClass } from '#api/networking/v1/ingress.ts'
import type { NetworkPolicy } from '#api/networking/v1/network-policy.ts'
import * as networking from '#api/networking/v1/resources.ts'
import { labelSelectorFromObject } from '#apimachinery/selectors/label-selector.ts'
import { ageColumn, columnsOf, nameColumn, orNone } from '#apiserver/registry/columns.ts'
import { defineResource } from '#apiserver/registry/define-resource.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { schemaOf } from '../builtin-schemas.ts'
import { validateIngressSpec } from './ingress-validation.ts'
import { storedOnly } from '../stored-only.ts'
import { networkPolicyStrategy } from './network-policy-strategy.ts'

/** Number of hosts in a cell; the rest is counted. */
const shownHosts = 3

function hosts({ spec }: Ingress): string {
  const names = (spec?.rules ?? []).flatMap(({ host = '' }) => (host === '' ? [] : [host]))
  if (names.length === 0) return '*'
  const more = names.length - shownHosts
  return more > 0 ? `${names.slice(0, shownHosts).join(',')} + ${more} more...` : names.join(',')
}

function addresses({ status }: Ingress): string {
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => ip ?? hostname ?? []).join(',')
}

function parameters({ spec }: IngressClass): string {
  const { apiGroup = '', kind, name } = spec?.parameters ?? { kind: '', name: '' }
  if (kind === '') return '<none>'
  return apiGroup === '' ? `${kind}/${name}` : `${kind}.${apiGroup}/${name}`
}

const policy = columnsOf<NetworkPolicy>()
const ingress = columnsOf<Ingress>()
const ingressClass = columnsOf<IngressClass>()

/** Resources of `networking.k8s.io/v1`. */
export function networkingDefinitions(): ResourceDefinition[] {
  return [
    defineResource({
      ...networking.networkPolicies,
      shortNames: ['netpol'],
      schema: schemaOf(networking.networkPolicies),
      hasGeneration: true,
      columns: [
        nameColumn,
        policy('Pod-Selector', ({ spec }) => orNone(labelSelectorFromObject(spec?.podSelector ?? {}).toString())),
        ageColumn,
      ],
      strategy: networkPolicyStrategy,
    }),
    defineResource({
      ...networking.ingresses,
      shortNames: ['ing'],
      schema: schemaOf(networking.ingresses),
      hasStatus: true,
      hasGeneration: true,
      columns: [
        nameColumn,
        ingress('Class', ({ spec, metadata }) => orNone(spec?.ingressClassName ?? metadata?.annotations?.['kubernetes.io/ingress.class'])),
        ingress('Hosts', hosts),
        ingress('Address', addresses),
        ingress('Ports', ({ spec }) => ((spec?.tls ?? []).length > 0 ? '80, 443' : '80')),
        ageColumn,
      ],
      strategy: {
        ...storedOnly('Ingress', 'there is no ingress controller unless you run one'),
        validate: (object) => validateIngressSpec((object as Ingress).spec ?? {}),
      },
    }),
    defineResource({
      ...networking.ingressClasses,
      schema: schemaOf(networking.ingressClasses),
      hasGeneration: true,
      columns: [
        nameColumn,
        ingressClass('Controller', ({ spec }) => spec?.controller ?? ''),
        ingressClass('Parameters', parameters),
        ageColumn,
      ],
    }),
  ]
}
