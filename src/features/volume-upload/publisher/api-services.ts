import type { APIService } from '#api/apiregistration/v1/api-service.ts'

/** Name of the group. */
export const uploadGroupName = 'upload.cdi.kubevirt.io'
/** Its version. */
export const uploadVersion = 'v1beta1'

/**
 * Returns the APIService of the group. It is not written where CDI has registered its own. Pure.
 */
export function uploadApiServices({
  namespace,
  name,
  caBundle,
}: {
  readonly namespace: string
  readonly name: string
  /** PEM bundle that verifies the server's certificate, base64. */
  readonly caBundle: string
}): readonly APIService[] {
  return [
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: `${uploadVersion}.${uploadGroupName}`, labels: { 'kubevirt.io': 'virt-api-aggregator' } },
      spec: {
        group: uploadGroupName,
        version: uploadVersion,
        service: { namespace, name, port: 443 },
        caBundle,
        groupPriorityMinimum: 1000,
        versionPriority: 15,
      },
    },
  ]
}
