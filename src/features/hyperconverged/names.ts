import { componentNamespace } from '#api/access/component-users.ts'
import { kubeVirtProduct } from '#api/hco/v1/product.ts'

/** Key of the only HyperConverged object. */
export const hyperConvergedKey: { readonly namespace: string; readonly name: string } = {
  namespace: componentNamespace,
  name: 'kubevirt-hyperconverged',
}

/** Name of the operator: its process, account, Deployment, Service, Lease and field manager. */
export const operatorName = 'hyperconverged-operator'

/** Names of the certificate objects of its webhooks. */
export const operatorCertificates: { readonly authority: string; readonly serving: string } = {
  authority: `${operatorName}-ca`,
  serving: `${operatorName}-certs`,
}

/** Name of the ConfigMap with the last configuration that all components had. */
export const lastAppliedName: string = `${operatorName}-last-applied`

/** Labels of all objects that the operator maintains. */
export function labelsOf(part: string): Readonly<Record<string, string>> {
  return {
    app: 'kubevirt-hyperconverged',
    'app.kubernetes.io/managed-by': 'hco-operator',
    'app.kubernetes.io/part-of': kubeVirtProduct.productName,
    'app.kubernetes.io/component': part,
  }
}
