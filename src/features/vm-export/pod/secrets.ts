import { randomInt } from 'node:crypto'
import type { Pod } from '#api/core/v1/pod.ts'
import { pods } from '#api/core/v1/resources.ts'
import type { Secret } from '#api/core/v1/secret.ts'
import { virtualMachineExports } from '#api/export/v1/resources.ts'
import type { VirtualMachineExport } from '#api/export/v1/virtual-machine-export.ts'
import type { CertificatePair } from '#features/certificates/index.ts'
import { loadAuthority } from '#runtime/certificates/authority.ts'
import { controllerReference } from '#runtime/ownership/controller-reference.ts'
import { tokenKey } from '../export-task.ts'
import { serviceNameOf, tokenSecretNameOf } from '../names.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** KubeVirt's. */
const tokenLength = 20

/** Validity of a certificate. */
export interface Validity {
  readonly nowMs: number
  readonly lifetimeMs: number
}

/** Issues the certificate of an exporter pod for the names of its Service. It goes with the pod. */
export async function servingSecretOf(
  vmExport: VirtualMachineExport,
  pod: Pod,
  name: string,
  authority: CertificatePair,
  validity: Validity,
): Promise<Secret> {
  const { namespace = '' } = vmExport.metadata
  const service = serviceNameOf(vmExport)
  const values = [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`, `${service}.${namespace}`, service]
  const issued = await loadAuthority(authority.certificate, authority.key).issue({
    // Names of a certificate's subject have at most 64 characters.
    subject: 'CN=virt-exportserver',
    usage: 'server',
    names: values.map((value) => ({ type: 'dns', value })),
    ...validity,
  })
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, ownerReferences: [controllerReference(pods, pod)] },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': encode(issued.certificate), 'tls.key': encode(issued.key) },
  }
}

/** Makes the token of an export that names no Secret. It goes with the export. */
export function tokenSecretOf(vmExport: VirtualMachineExport): Secret {
  const token = Array.from({ length: tokenLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: tokenSecretNameOf(vmExport),
      namespace: vmExport.metadata.namespace ?? '',
      ownerReferences: [controllerReference(virtualMachineExports, vmExport)],
    },
    type: 'Opaque',
    data: { [tokenKey]: encode(token) },
  }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}
