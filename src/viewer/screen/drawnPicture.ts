// A picture beside what ink draws: it stands where ink's lines are blank, which are not written again while they stay so. It
// comes when ink's frame is on the screen, and goes before the next one is.
import { useApp } from 'ink';
import { useLayoutEffect } from 'react';
import { type Area, clearing, drawing, type Graphics, type Picture } from '../graphics.ts';

export function useDrawnPicture(graphics: Graphics | null, picture: Picture | null, area: Area): void {
  const { waitUntilRenderFlush } = useApp();
  const { top, left, width, height } = area;
  useLayoutEffect(() => {
    if (graphics === null || picture === null) return;
    const place = { top, left, width, height };
    let [isWanted, isDrawn] = [true, false];
    void waitUntilRenderFlush().then(() => {
      if (!isWanted) return;
      isDrawn = true;
      process.stdout.write(drawing(graphics, picture, place, process.pid));
    });
    return () => {
      isWanted = false;
      // A terminal that became smaller has only a part of it left.
      const rows = Math.max(0, Math.min(height, process.stdout.rows - 1 - top));
      if (isDrawn) process.stdout.write(clearing(graphics, { ...place, height: rows }, process.pid));
    };
  }, [graphics, picture, top, left, width, height, waitUntilRenderFlush]);
}
