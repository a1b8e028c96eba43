'use client';

import { type RefObject, useLayoutEffect, useRef } from 'react';
import { Brush } from '@/components/debugger/stage/brush';
import type { Ink } from '@/components/debugger/stage/ink';

/** A canvas of that size, sharp on every screen, drawn again whenever `draw` is another. */
export function useDrawing(
  width: number,
  height: number,
  ink: Ink | null,
  draw: ((brush: Brush) => unknown) | null,
): RefObject<HTMLCanvasElement | null> {
  const ref = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const canvas = ref.current;
    const ctx = canvas?.getContext('2d') ?? null;
    if (canvas === null || ctx === null || ink === null || draw === null || width === 0) return;
    const ratio = window.devicePixelRatio;
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide || canvas.height !== high) {
      canvas.width = wide;
      canvas.height = high;
    }
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    draw(new Brush(ctx, ink));
  }, [width, height, ink, draw]);
  return ref;
}
