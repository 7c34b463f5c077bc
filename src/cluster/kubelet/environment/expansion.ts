/**
 * Replaces `$(NAME)` by the variable's value; `$$` stands for `$`, and what names no variable stays
 * as it is.
 */
export function expandVariables(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([^()]*)\)/g, (match, name: string | undefined) => {
    if (match === '$$') return '$'
    return (name === undefined ? undefined : variables[name]) ?? match
  })
}
