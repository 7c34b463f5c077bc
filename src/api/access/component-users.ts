import { componentRules } from './component-rules.ts'

/** A program that has an identity of its own. */
export type Component = 'virt-operator' | 'virt-api' | 'virt-controller' | 'virt-handler'

/** Namespace of the components. */
export const componentNamespace = 'kubevirt'

/** Groups of every service account of the components' namespace. */
export const componentGroups: readonly string[] = ['system:serviceaccounts', `system:serviceaccounts:${componentNamespace}`]

/**
 * Username of a component: that of its service account. A token identifies it on a cluster, a
 * certificate with the same name on one machine.
 */
export function componentUser(component: Component): string {
  return componentUserIn(componentNamespace, component)
}

/** Username of a component that is installed in another namespace. */
export function componentUserIn(namespace: string, component: Component): string {
  return `system:serviceaccount:${namespace}:${component}`
}

/** Attribute of a user that identifies the certificate or the token. */
export const credentialIdExtra = 'authentication.kubernetes.io/credential-id'

/**
 * Attribute of a user that names the node of its pod. Tokens carry it as a claim, certificates of
 * one machine as an organization `<attribute>=<node>`.
 */
export const nodeNameExtra = 'authentication.kubernetes.io/node-name'

const users: ReadonlySet<string> = new Set((Object.keys(componentRules) as Component[]).map(componentUser))

/** Reports whether a user is one of the components. */
export function isComponentUser(username: string | undefined): boolean {
  return username !== undefined && users.has(username)
}

/** CEL: whether the request does not come from one of the components. */
export const byOthersExpression: string = `!(request.userInfo.username in [${[...users].map((user) => `'${user}'`).join(', ')}])`
