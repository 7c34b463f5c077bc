import type { Service } from '#api/core/v1/service.ts'
import { virtualMachineExports } from '#api/export/v1/resources.ts'
import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import { controllerReference } from '#runtime/ownership/controller-reference.ts'
import { serverPort } from '../export-task.ts'
import { names, serviceLabelOf, serviceNameOf } from '../names.ts'

/** Builds the Service of an export, whose name is in the internal links. */
export function exporterServiceOf(vmExport: VirtualMachineExport): Service {
  const { namespace = '', labels } = vmExport.metadata
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: serviceNameOf(vmExport),
      namespace,
      labels: { ...labels, [names.appLabel]: names.app },
      ownerReferences: [controllerReference(virtualMachineExports, vmExport)],
    },
    spec: {
      ports: [{ name: 'export', protocol: 'TCP', port: 443, targetPort: serverPort }],
      selector: { [names.serviceLabel]: serviceLabelOf(vmExport) },
    },
  }
}

/** Host of the internal links. */
export function internalHostOf(vmExport: VirtualMachineExport): string {
  return `${serviceNameOf(vmExport)}.${vmExport.metadata.namespace ?? ''}.svc`
}
