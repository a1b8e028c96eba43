import Type from 'typebox';
import { Count, Instant, Nullable } from '@/lib/wire/answer-parts';

/** One change of the installation; `from` and `to` are the states before and after, null where there was none. */
export const ChangePage = Type.Object({
  items: Type.Array(
    Type.Object({
      seq: Count,
      at: Instant,
      actor: Type.String(),
      action: Type.String(),
      subject: Type.String(),
      from: Type.Unknown(),
      to: Type.Unknown(),
    }),
  ),
  next: Nullable(Type.String()),
});
export type ChangePage = Type.Static<typeof ChangePage>;
