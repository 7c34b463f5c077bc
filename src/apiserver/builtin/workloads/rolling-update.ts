/** How new pods replace old ones, as the kinds of workloads say it. */
interface RolloutSettings {
  readonly type?: string
  readonly rollingUpdate?: object
}

/**
 * The settings with their defaults. Those of a rolling update, which is the default, are filled in
 * only for that.
 */
export function withRollingDefaults<S extends RolloutSettings>(settings: S | undefined, rollingUpdate: NonNullable<S['rollingUpdate']>): S {
  const { type = 'RollingUpdate' }: RolloutSettings = settings ?? {}
  if (settings !== undefined && type !== 'RollingUpdate') return settings
  return { ...settings, type, rollingUpdate: { ...rollingUpdate, ...settings?.rollingUpdate } } as S
}
