import type { APIService } from '#api/apiregistration/v1/api-service.ts'
import { subresourcesGroupName, subresourcesVersions } from './group.ts'

/** The Service of virt-api. */
export interface SubresourcesService {
  readonly namespace: string
  readonly name: string
  /** PEM bundle that verifies the server's certificate, base64. */
  readonly caBundle: string
}

/** Returns the APIServices of the group, one for each version. KubeVirt's priorities. */
export function subresourcesApiServices({ namespace, name, caBundle }: SubresourcesService): readonly APIService[] {
  return subresourcesVersions.map((version) => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${subresourcesGroupName}`, labels: { 'kubevirt.io': 'virt-api-aggregator' } },
    spec: {
      group: subresourcesGroupName,
      version,
      service: { namespace, name, port: 443 },
      caBundle,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
    },
  }))
}
